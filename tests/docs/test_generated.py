"""What the library can say about itself stands in the pages as it says it."""

from __future__ import annotations

import json
import re

import generate
import pytest

from tests.docs.pages import ROOT

PAGES = [page.relative_to(ROOT).as_posix() for page in generate.pages()]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_printed_anew_without_a_change(name: str) -> None:
    text = (ROOT / name).read_text()
    assert generate.refreshed(text) == text, "run: python docs/generate.py"


def test_a_row_of_a_table_gets_its_delays_and_outputs() -> None:
    before = (
        "| schedule | work | delays | outputs |\n|---|---|---|---|\n| `elapsed() \\| recurs(1)` | `2` | | |"
    )
    after = "| `elapsed() \\| recurs(1)` | `2` | 0, 0, 0, 0, 0, 0, … | 0, 0, 0, 0, 0, 0 |"
    assert generate.refreshed(before).split("\n")[2] == after


def test_a_row_ends_with_done_where_the_schedule_does() -> None:
    page = "| schedule | delays | note |\n|---|---|---|\n| `recurs(2)` | 7 | two |"
    assert generate.refreshed(page).split("\n")[2] == "| `recurs(2)` | 0, 0, done | two |"


def test_a_table_without_delays_is_left_alone() -> None:
    page = "| schedule | note |\n|---|---|\n| `recurs(2)` | two |\n\ntext"
    assert generate.refreshed(page) == page


def test_every_difference_is_printed() -> None:
    page = (ROOT / "docs/reference/differences.md").read_text()
    printed = set(re.findall(r"<!-- differences: (\w+) -->", page))
    assert {row["original"] for row in json.loads(generate.DIFFERENCES.read_text())} <= printed
