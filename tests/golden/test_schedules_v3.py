"""Effect 3's schedules, replayed: `Schedule.step` and `Schedule.run` of 3.22.1."""

from __future__ import annotations

import pytest

from tests.golden.differences import judge
from tests.golden.replay import first_differences, load
from tests.golden.values import Json

FILES = ["schedules_v3", "schedules_v3_fuzz", "schedule_run_v3"]
RECORDED = {name: load(name) for name in FILES}
FIRST_DIFFERENCES = first_differences()


@pytest.mark.parametrize(
    ("case", "part"),
    [
        pytest.param(case, recorded["meta"]["part"], id=case["id"])
        for recorded in RECORDED.values()
        for case in recorded["cases"]
    ],
)
def test_a_schedule_decides_as_in_effect_3_but_for_the_listed_differences(case: Json, part: str) -> None:
    judge(case, 3, part)


@pytest.mark.parametrize("case", FIRST_DIFFERENCES, ids=[case["id"] for case in FIRST_DIFFERENCES])
def test_where_effect_4_decides_otherwise_our_words_of_3_decide_as_3(case: Json) -> None:
    judge(case, 3, load("v3_v4_diff")["meta"]["part"])


@pytest.mark.parametrize("name", FILES)
def test_no_recorded_case_is_left_out(name: str) -> None:
    recorded = RECORDED[name]
    assert len({case["id"] for case in recorded["cases"]}) == recorded["meta"]["cases_total"]
