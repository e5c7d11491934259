"""Every example of the documentation and of the package's docstrings runs and prints what it says."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pkgutil import walk_packages

import pytest

import effectloop
from tests.docs.pages import LANGUAGES, NAMES, ROOT, blocks, document

MODULES = [module.name for module in walk_packages(effectloop.__path__, "effectloop.")]


@pytest.mark.parametrize("name", NAMES)
def test_every_example_of_a_page_prints_what_it_says(name: str) -> None:
    for example in document(name).examples():
        example.evaluate()


@pytest.mark.parametrize("name", NAMES)
def test_every_code_block_of_a_page_is_in_a_language_that_is_tested(name: str) -> None:
    fences = re.findall(r"^```(.*)$", (ROOT / name).read_text(), flags=re.MULTILINE)
    assert set(fences[::2]) <= LANGUAGES
    assert set(fences[1::2]) <= {""}
    assert len(fences) == 2 * sum(len(blocks(name, language)) for language in LANGUAGES)


@pytest.mark.parametrize("name", MODULES)
def test_every_example_of_a_module_prints_what_it_says(name: str) -> None:
    outcome = doctest.testmod(import_module(name), report=True)
    assert outcome.failed == 0


def test_doctests_are_found_where_functions_have_them() -> None:
    attempted = sum(doctest.testmod(import_module(name)).attempted for name in MODULES)
    assert attempted > len(effectloop.__all__)
