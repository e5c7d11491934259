"""Effect 4's schedules, replayed: `Schedule.toStep` of 4.1.0."""

from __future__ import annotations

import pytest

from tests.golden.differences import judge
from tests.golden.replay import load
from tests.golden.values import Json

RECORDED = load("schedules_v4")


@pytest.mark.parametrize("case", RECORDED["cases"], ids=[case["id"] for case in RECORDED["cases"]])
def test_a_schedule_decides_as_in_effect_4_but_for_the_listed_differences(case: Json) -> None:
    judge(case, 4, RECORDED["meta"]["part"])


def test_no_recorded_case_is_left_out() -> None:
    assert len({case["id"] for case in RECORDED["cases"]}) == RECORDED["meta"]["cases_total"]
