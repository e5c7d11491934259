"""The migration page maps every name of the libraries it speaks of, and what it maps them to exists."""

from __future__ import annotations

import json
import re

import generate
import pytest

import effectloop
import effectloop.testing
from tests.docs.pages import ROOT

EXPORTS: dict[str, list[str]] = json.loads((ROOT / "tests/docs/exports.json").read_text())
PAGE = (ROOT / "docs/reference/migration.md").read_text()

STANDS_FOR = vars(effectloop) | {
    "effectloop": effectloop,
    "a": effectloop.exponential(1),
    "b": effectloop.recurs(3),
    "f": lambda *given: given[-1],
    "p": lambda *_: True,
    "d": 60.0,
    "n": 3,
    "x": 7,
}


def rows(library: str) -> list[tuple[list[str], str, str]]:
    """Answer the rows of *library*'s table: their names, ours, the note."""
    section = PAGE.split(f"\n## {library}\n")[1].split("\n## ")[0]
    cells = [cells for line in section.split("\n") if (cells := generate.cells_of(line))]
    return [(re.findall(r"`([^`]+)`", theirs), ours, note) for theirs, ours, note in cells[2:]]


def ours() -> list[str]:
    return sorted({ours.strip("`") for library in EXPORTS for _, ours, _ in rows(library) if ours != "none"})


def test_the_page_has_a_table_for_every_library_and_no_other() -> None:
    assert re.findall(r"^## (.*)$", PAGE, re.MULTILINE) == list(EXPORTS)


@pytest.mark.parametrize("library", EXPORTS)
def test_every_name_of_a_library_is_mapped_once(library: str) -> None:
    assert sorted(name for names, _, _ in rows(library) for name in names) == sorted(EXPORTS[library])


@pytest.mark.parametrize("library", EXPORTS)
def test_a_name_without_a_counterpart_has_a_reason(library: str) -> None:
    for names, ours, note in rows(library):
        assert re.fullmatch(r"`[^`]+`", ours) or (ours == "none" and note), names


@pytest.mark.parametrize("expression", ours())
def test_what_a_name_is_mapped_to_exists_and_runs(expression: str) -> None:
    thing = eval(expression, dict(STANDS_FOR))
    if isinstance(thing, effectloop.Schedule):
        given = (1, 2) if "both_in_out" in expression else OSError("busy")
        assert all(step.delay is None or step.delay >= 0 for step in effectloop.trace(thing, [given] * 5))
