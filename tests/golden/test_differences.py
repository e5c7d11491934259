"""The list of deliberate differences is complete, and no row of it is idle."""

from __future__ import annotations

import pytest

from tests.golden.differences import rows
from tests.golden.effect import DIFFERENCES_3, DIFFERENCES_4
from tests.golden.replay import INTERVALS, NOT_IMITATED
from tests.golden.values import Json

ORIGINALS = {"effect", "effect3", "effect4", "processor", "worker", "worker_spans"}


@pytest.mark.parametrize("row", rows(), ids=[row["id"] for row in rows()])
def test_a_row_says_what_differs_and_why_and_names_a_case(row: Json) -> None:
    assert row.keys() == {"id", "original", "what", "reason", "cases"}
    assert row["original"] in ORIGINALS
    for sentence in (row["what"], row["reason"]):
        assert sentence[0].isupper()
        assert sentence.endswith(".")
    assert row["cases"]
    assert len(set(row["cases"])) == len(row["cases"])


def test_no_two_rows_have_one_id() -> None:
    assert len({row["id"] for row in rows()}) == len(rows())


def test_every_difference_between_schedules_has_its_row() -> None:
    decided = {difference.id for difference in (*DIFFERENCES_3, *DIFFERENCES_4)} | {INTERVALS, NOT_IMITATED}
    assert decided <= {row["id"] for row in rows() if row["original"].startswith("effect")}
