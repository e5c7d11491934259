"""Every public docstring follows the template: a promise, then sections in one order, each complete."""

from __future__ import annotations

import inspect
import re

import entries
import pytest

NAMES = [name for module in entries.MODULES for name in module.__all__]
METHODS = [
    method for name in NAMES if isinstance(entries.resolved(name), type) for method in entries.methods(name)
]
FUNCTIONS = [name for name in (*NAMES, *METHODS) if inspect.isroutine(entries.resolved(name))]
COMBINATORS = [
    name
    for name in FUNCTIONS
    if str(inspect.get_annotations(entries.resolved(name)).get("return")).startswith(("Schedule[", "Self"))
]


def sections(name: str) -> dict[str, str]:
    """Answer the sections of *name*'s docstring, with the text before them under the empty name."""
    doc = entries.docstring(name, entries.resolved(name))
    before, *parts = re.split(rf"^({'|'.join(entries.SECTIONS)}):\n", doc, flags=re.MULTILINE)
    return {"": before} | dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("name", [*NAMES, *METHODS])
def test_a_docstring_begins_with_a_promise_of_one_line(name: str) -> None:
    promise, *rest = sections(name)[""].split("\n")
    assert promise.endswith((".", ":")), promise
    assert rest[:1] in ([], [""])


@pytest.mark.parametrize("name", [*NAMES, *METHODS])
def test_the_sections_of_a_docstring_come_in_one_order(name: str) -> None:
    found = [section for section in sections(name) if section]
    assert found == [section for section in entries.SECTIONS if section in found]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_arguments_of_a_docstring_are_those_of_the_function(name: str) -> None:
    parameters = [p for p in inspect.signature(entries.resolved(name)).parameters if p != "self"]  # type: ignore[arg-type]
    documented = re.findall(r"^    (\w+): ", sections(name).get("Args", ""), flags=re.MULTILINE)
    assert documented in (parameters, []), name
    if name in COMBINATORS and name.partition(".")[2] not in entries.OPERATORS:
        assert documented == parameters


@pytest.mark.parametrize("name", COMBINATORS)
def test_a_combinator_says_its_outputs_its_source_and_an_example(name: str) -> None:
    assert {"Source", "Example"} <= set(sections(name))
    assert "Outputs" in sections(name) or name == "Schedule.accepts"  # which is the schedule itself


@pytest.mark.parametrize("name", [name for name in COMBINATORS if "Args" in sections(name)])
def test_a_combinator_with_parameters_says_what_it_raises(name: str) -> None:
    assert "Raises" in sections(name)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "." not in name])
def test_every_public_function_has_an_example(name: str) -> None:
    assert ">>> from effectloop import" in sections(name)["Example"]


@pytest.mark.parametrize("name", [*NAMES, *METHODS])
def test_every_section_is_indented_and_not_empty(name: str) -> None:
    for section, text in sections(name).items():
        assert text.strip(), section
        lines = [line for line in text.split("\n") if line]
        assert section == "" or all(line.startswith("    ") for line in lines), section
