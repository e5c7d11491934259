"""Effect 3's schedules, replayed: `Schedule.step` and `Schedule.run` of 3.22.1."""

from __future__ import annotations

import pytest

from effectloop.core.calendar import cron
from effectloop.core.node import Tick
from effectloop.core.schedule import Continue
from tests.golden.differences import judge, listed
from tests.golden.replay import INTERVALS, first_differences, load
from tests.golden.values import Json, same

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


UNITS = {  # a calendar word of Effect, finest first: when its window begins, and all of it
    "cron": ("{expr}", "{expr}"),
    "secondOfMinute": ("{second} * * * * *", "{second} * * * * *"),
    "minuteOfHour": ("{minute} * * * *", "* {minute} * * * *"),
    "hourOfDay": ("0 {hour} * * *", "* * {hour} * * *"),
    "dayOfWeek": ("0 0 * * {day}", "* * * * * {day}"),
}


def test_calendars_that_intersect_in_effect_meet_in_one_cron_of_several_rules() -> None:
    named = {case for case, names in listed().items() if INTERVALS in names}
    for case in RECORDED["schedules_v3"]["cases"]:
        if case["id"] in named:
            finest, *others = sorted(case["expr"]["args"], key=lambda word: [*UNITS].index(word["op"]))
            begins, within = UNITS[finest["op"]][0], (UNITS[word["op"]][1].format(**word) for word in others)
            schedule = cron(begins.format(**finest), *within)
            for step in case["steps"]:
                decision = schedule.step(Tick(None, 0, 0.0, step["now"] / 1000, 0.5))
                assert isinstance(decision, Continue)
                assert same(decision.delay * 1000, step["decision"]["delay_ms"])
