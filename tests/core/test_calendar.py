"""`cron`: which local times match, and which instants they are where clocks change."""

from __future__ import annotations

import copy
import importlib.util
import pickle
import sys
from datetime import UTC, datetime, timedelta, timezone
from math import inf, nan
from zoneinfo import ZoneInfo, available_timezones

import pytest
from cronsim import CronSim
from hypothesis import given
from hypothesis import strategies as st

from effectloop.core import calendar
from effectloop.core.calendar import cron
from effectloop.core.duration import MAX_DELAY
from effectloop.core.node import Tick
from effectloop.core.schedule import Continue, Schedule

BERLIN, HELSINKI, NEW_YORK = "Europe/Berlin", "Europe/Helsinki", "America/New_York"


def after(schedule: Schedule[object, float], wall: float) -> float:
    """The instant that *schedule* decides on at *wall*; the delay leads there, and no state changes."""
    decision = schedule.step(Tick(None, 0, 0.0, wall, 0.5))
    assert isinstance(decision, Continue)
    assert decision.rest == schedule
    assert 0 < decision.delay == min(decision.output - wall, MAX_DELAY)
    return decision.output


def at(local: str, tz: str = "UTC", *, fold: int = 0) -> float:
    return datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(tz), fold=fold).timestamp()


def walk(schedule: Schedule[object, float], wall: float, n: int) -> list[float]:
    instants: list[float] = []
    for _ in range(n):
        wall = after(schedule, wall)
        instants.append(wall)
    return instants


def runs(*rules: str, since: str, n: int = 3, tz: str = "UTC", fold: int = 0) -> list[str]:
    """The next *n* instants after the local time *since*, as the clock of *tz* shows them."""
    instants = walk(cron(*rules, tz=tz), at(since, tz, fold=fold), n)
    return [datetime.fromtimestamp(instant, ZoneInfo(tz)).isoformat(" ", "seconds") for instant in instants]


def days(*rules: str, since: str = "2025-01-01", n: int = 4) -> list[str]:
    return [run[:10] for run in runs(*rules, since=since, n=n)]


# Which local times match


def test_the_next_instant_is_strictly_after_the_wall_clock() -> None:
    nine = cron("0 9 * * *")
    at_nine = at("2025-03-10 09:00")
    assert after(nine, at_nine - 1) == at_nine
    assert after(nine, at_nine - 1e-6) == at_nine
    assert after(nine, at_nine) == at_nine + 86400
    assert after(nine, at_nine + 1e-6) == at_nine + 86400


def test_a_wall_clock_before_1970_is_as_good_as_any() -> None:
    assert after(cron("* * * * *"), -0.5) == 0
    assert after(cron("* * * * *"), -60.0) == 0
    assert after(cron("* * * * *"), -60.5) == -60


def test_six_fields_begin_with_the_seconds() -> None:
    assert runs("*/20 * * * * *", since="2025-01-01 00:00:19.5", n=4) == [
        "2025-01-01 00:00:20+00:00",
        "2025-01-01 00:00:40+00:00",
        "2025-01-01 00:01:00+00:00",
        "2025-01-01 00:01:20+00:00",
    ]


def test_a_second_of_the_minute_runs_once_a_minute() -> None:
    assert runs("5 * * * * *", since="2025-01-01 12:00:04", n=3) == [
        "2025-01-01 12:00:05+00:00",
        "2025-01-01 12:01:05+00:00",
        "2025-01-01 12:02:05+00:00",
    ]


def test_names_ranges_lists_and_steps_are_understood() -> None:
    assert days("0 0 * jan,JUL mon") == ["2025-01-06", "2025-01-13", "2025-01-20", "2025-01-27"]
    assert days("0 0 * * 6-7", since="2025-01-02") == ["2025-01-04", "2025-01-05", "2025-01-11", "2025-01-12"]
    assert days("0 0 10-20/5 * *") == ["2025-01-10", "2025-01-15", "2025-01-20", "2025-02-10"]


def test_sunday_is_0_and_7() -> None:
    assert days("0 0 * * 0") == days("0 0 * * 7") == days("0 0 * * SUN")


def test_l_is_the_last_and_the_hash_sign_the_nth() -> None:
    assert days("0 0 L * *", since="2024-02-01", n=2) == ["2024-02-29", "2024-03-31"]
    assert days("0 0 LW * *", since="2025-08-01", n=2) == ["2025-08-29", "2025-09-30"]
    assert days("0 0 * * 5L", n=2) == ["2025-01-31", "2025-02-28"]
    assert days("0 0 * * FRI#2", n=2) == ["2025-01-10", "2025-02-14"]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        pytest.param(
            ["0 0 13 * *"], ["2025-01-13", "2025-02-13", "2025-03-13", "2025-04-13"], id="day of month"
        ),
        pytest.param(
            ["0 0 * * 5"], ["2025-01-03", "2025-01-10", "2025-01-17", "2025-01-24"], id="day of week"
        ),
        pytest.param(["0 0 13 * 5"], ["2025-01-03", "2025-01-10", "2025-01-13", "2025-01-17"], id="either"),
        pytest.param(
            ["0 0 */10 * 5"], ["2025-01-31", "2025-02-21", "2025-03-21", "2025-04-11"], id="both, by the star"
        ),
        pytest.param(
            ["0 0 13 * */5"], ["2025-04-13", "2025-06-13", "2025-07-13", "2026-02-13"], id="both, star last"
        ),
        pytest.param(
            ["0 0 13 * *", "0 0 * * 5"], ["2025-06-13", "2026-02-13", "2026-03-13", "2026-11-13"], id="two"
        ),
    ],
)
def test_days_of_month_and_of_week_meet_as_in_debians_cron(rules: list[str], expected: list[str]) -> None:
    assert days(*rules) == expected


def test_several_rules_run_when_all_of_them_match() -> None:
    assert runs("*/10 * * * *", "*/15 * * * *", "* 9,12 * * *", since="2025-01-01", n=4) == [
        "2025-01-01 09:00:00+00:00",
        "2025-01-01 09:30:00+00:00",
        "2025-01-01 12:00:00+00:00",
        "2025-01-01 12:30:00+00:00",
    ]


def test_29_february_waits_for_a_leap_year_and_1900_was_none() -> None:
    assert days("0 0 29 2 *", since="2023-01-01", n=2) == ["2024-02-29", "2028-02-29"]
    assert days("0 0 29 2 *", since="1896-03-01", n=1) == ["1904-02-29"]


fields_of_a_rule = st.tuples(
    st.sampled_from(["0", "30", "*", "*/7", "5-50/9", "1,59"]),
    st.sampled_from(["0", "23", "*", "*/5", "9-17", "2,3"]),
    st.sampled_from(["*", "1", "31", "*/10", "10-20/5", "L", "LW", "13,29"]),
    st.sampled_from(["*", "2", "FEB,NOV", "1-6", "*/4"]),
    st.sampled_from(["*", "0", "7", "MON-FRI", "5L", "2#3", "*/2", "1,5"]),
)


@given(fields_of_a_rule, st.integers(0, 2**33))
def test_where_clocks_never_change_the_instants_are_cronsims(fields: tuple[str, ...], wall: int) -> None:
    rule = " ".join(fields)
    try:
        expected = next(CronSim(rule, datetime.fromtimestamp(wall, UTC))).timestamp()
    except Exception:  # a rule that cronsim refuses, or gives up on after 50 years
        with pytest.raises(ValueError, match="cron: rules must"):
            cron(rule)
    else:
        assert after(cron(rule), float(wall)) == expected


# Clock changes


def test_nine_stays_nine_through_both_clock_changes() -> None:
    assert runs("0 9 * * *", since="2025-03-08 12:00", tz=NEW_YORK, n=2) == [
        "2025-03-09 09:00:00-04:00",
        "2025-03-10 09:00:00-04:00",
    ]
    assert runs("0 9 * * *", since="2025-11-01 12:00", tz=NEW_YORK, n=2) == [
        "2025-11-02 09:00:00-05:00",
        "2025-11-03 09:00:00-05:00",
    ]


def test_seven_days_of_calendar_are_not_seven_times_24_hours() -> None:
    tuesdays = cron("0 16 * * TUE", tz="Europe/Brussels")
    since = at("2019-03-26 16:00", "Europe/Brussels")
    assert after(tuesdays, since) == at("2019-04-02 16:00", "Europe/Brussels") == since + 7 * 86400 - 3600


@pytest.mark.parametrize("rule", ["30 2 * * *", "0 30 2 * * *", "0-59/30 2 * * *", "* 30 2 * * *"])
def test_a_skipped_time_runs_once_at_the_first_instant_after_the_gap(rule: str) -> None:
    last_before = "2025-03-08 02:30:59"
    assert runs(rule, since=last_before, tz=NEW_YORK, n=1) == ["2025-03-09 03:00:00-04:00"]
    [following] = runs(rule, since="2025-03-09 03:00:00", tz=NEW_YORK, n=1)
    assert following.startswith("2025-03-10 02:")


def test_a_gap_at_midnight_or_of_half_an_hour_or_of_a_whole_day_is_a_gap_like_any() -> None:
    assert runs("0 0 * * *", since="2022-09-10 12:00", tz="America/Santiago", n=2) == [
        "2022-09-11 01:00:00-03:00",
        "2022-09-12 00:00:00-03:00",
    ]
    assert runs("15 2 * * *", since="2025-10-04 12:00", tz="Australia/Lord_Howe", n=2) == [
        "2025-10-05 02:30:00+11:00",
        "2025-10-06 02:15:00+11:00",
    ]
    assert runs("0 9 * * *", since="2011-12-29 08:00", tz="Pacific/Apia", n=3) == [
        "2011-12-29 09:00:00-10:00",
        "2011-12-31 00:00:00+14:00",
        "2011-12-31 09:00:00+14:00",
    ]


@pytest.mark.parametrize("rule", ["30 1 * * *", "0 30 1 * * *"])
def test_a_repeated_time_runs_the_first_time_only(rule: str) -> None:
    assert runs(rule, since="2025-11-01 12:00", tz=NEW_YORK, n=2) == [
        "2025-11-02 01:30:00-04:00",
        "2025-11-03 01:30:00-05:00",
    ]
    assert runs(rule, since="2025-11-02 01:15", tz=NEW_YORK, fold=1, n=1) == ["2025-11-03 01:30:00-05:00"]
    assert runs(rule, since="2025-11-02 01:45", tz=NEW_YORK, fold=1, n=1) == ["2025-11-03 01:30:00-05:00"]


def test_a_wildcard_keeps_its_rhythm_through_the_repeated_hour() -> None:
    assert runs("*/30 * * * *", since="2025-11-02 00:45", tz=NEW_YORK, n=6) == [
        "2025-11-02 01:00:00-04:00",
        "2025-11-02 01:30:00-04:00",
        "2025-11-02 01:00:00-05:00",
        "2025-11-02 01:30:00-05:00",
        "2025-11-02 02:00:00-05:00",
        "2025-11-02 02:30:00-05:00",
    ]
    assert runs("30 * * * *", since="2017-10-29 03:45", tz=HELSINKI, fold=1, n=1) == [
        "2017-10-29 04:30:00+02:00"
    ]


def test_a_wildcard_keeps_its_rhythm_over_the_skipped_hour() -> None:
    assert runs("15 * * * *", since="2025-03-09 00:30", tz=NEW_YORK, n=3) == [
        "2025-03-09 01:15:00-05:00",
        "2025-03-09 03:15:00-04:00",
        "2025-03-09 04:15:00-04:00",
    ]
    assert runs("*/30 2 * * *", since="2025-03-09 00:30", tz=NEW_YORK, n=1) == ["2025-03-10 02:00:00-04:00"]


def test_every_minute_is_60_seconds_apart_whatever_the_clock_shows() -> None:
    for since in ("2025-03-09 00:00", "2025-11-02 00:00"):
        start = at(since, NEW_YORK)
        assert walk(cron("* * * * *", tz=NEW_YORK), start, 240) == [start + 60 * (n + 1) for n in range(240)]


def test_several_rules_keep_their_rhythm_only_if_each_of_them_would() -> None:
    assert (
        len(
            {
                run[:16]
                for run in runs("*/30 * * * *", "* 1 * * *", since="2025-11-02 00:45", tz=NEW_YORK, n=4)
            }
        )
        == 2
    )
    assert (
        len({run[:16] for run in runs("30 1 * * *", "* 1 * * *", since="2025-11-02 00:45", tz=NEW_YORK, n=4)})
        == 4
    )


def instants_by_hand(
    fixed: bool, minutes: set[int], hours: set[int], zone: ZoneInfo, start: int, end: int
) -> list[int]:
    """All instants of a rule from *start* to *end*, found by looking at the clock at every minute."""
    clock = {now: datetime.fromtimestamp(now, zone).replace(tzinfo=None) for now in range(start, end, 60)}
    matching = [now for now, shown in clock.items() if shown.minute in minutes and shown.hour in hours]
    if not fixed:
        return matching
    first_times: dict[datetime, int] = {}
    for now in matching:
        first_times.setdefault(clock[now], now)
    skipped = {
        now
        for now in range(start + 60, end, 60)
        for passed in range(int((clock[now] - clock[now - 60]) / timedelta(minutes=1)) - 1)
        if (lost := clock[now - 60] + timedelta(minutes=passed + 1)).minute in minutes and lost.hour in hours
    }
    return sorted(skipped | set(first_times.values()))


CHANGES = [
    pytest.param(NEW_YORK, "2025-03-09 07:00", id="an hour skipped"),
    pytest.param(NEW_YORK, "2025-11-02 06:00", id="an hour repeated"),
    pytest.param("Australia/Lord_Howe", "2025-04-05 15:00", id="half an hour repeated"),
    pytest.param("Australia/Lord_Howe", "2025-10-04 15:30", id="half an hour skipped"),
    pytest.param("America/Santiago", "2022-09-11 04:00", id="midnight skipped"),
    pytest.param("America/Santiago", "2022-04-03 03:00", id="midnight repeated"),
    pytest.param("Pacific/Apia", "2011-12-30 10:00", id="a day skipped"),
    pytest.param("Pacific/Kwajalein", "1969-09-30 13:00", id="a day repeated"),
    pytest.param("Antarctica/Troll", "2025-03-30 01:00", id="two hours skipped"),
    pytest.param("Africa/Casablanca", "2025-02-23 02:00", id="summer time suspended"),
]


@pytest.mark.parametrize(("zone", "change"), CHANGES)
@pytest.mark.parametrize(
    ("rule", "fixed", "minutes", "hours"),
    [
        ("30 * * * *", False, {30}, set(range(24))),
        ("*/7 0-3,23 * * *", False, set(range(0, 60, 7)), {0, 1, 2, 3, 23}),
        ("0,15,45 0-4,12 * * *", True, {0, 15, 45}, {0, 1, 2, 3, 4, 12}),
        ("20 2 * * *", True, {20}, {2}),
    ],
)
def test_around_a_change_every_instant_is_the_one_found_by_hand(
    zone: str, change: str, rule: str, fixed: bool, minutes: set[int], hours: set[int]
) -> None:
    middle = int(at(change))
    start, end = middle - 3 * 86400, middle + 3 * 86400
    expected = instants_by_hand(fixed, minutes, hours, ZoneInfo(zone), start, end)
    schedule = cron(rule, tz=zone)
    from_inside = [instant for instant in expected if instant > middle - 129600]
    for wall in range(middle - 129600, middle + 129600, 420):
        assert after(schedule, float(wall)) == next(instant for instant in from_inside if instant > wall)


def test_in_every_zone_the_next_instant_is_later_and_none_before_it_is_missed() -> None:
    for n, zone in enumerate(sorted(available_timezones())):
        for rule in ("30 1 * * *", "0 0 * * *", "*/30 2,3 * * *"):
            schedule = cron(rule, tz=zone)
            wall = -3e9 + n * 7_919_017 % 8e9
            for instant in walk(schedule, wall, 6):
                assert wall < instant
                assert after(schedule, (wall + instant) / 2) == after(schedule, instant - 1) == instant
                wall = instant


# Refusals


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(["0 0 30 2 *"], id="30 February"),
        pytest.param(["0 0 31 4,6,9,11 *"], id="31 of a month of 30 days"),
        pytest.param(["0 0 31 2 */2"], id="31 February that is an even day of the week"),
        pytest.param(["0 9 * * *", "30 9 * * *"], id="minutes that never meet"),
        pytest.param(["0 0 * 1-3 *", "0 0 * 4 *"], id="months that never meet"),
        pytest.param(["0 0 1-7 * *", "0 0 * * MON#2"], id="days that never meet"),
        pytest.param(["0 0 29 2 *", "0 0 * * SUN#1"], id="weeks that never meet"),
    ],
)
def test_rules_that_can_never_match_are_refused_when_built(rules: list[str]) -> None:
    with pytest.raises(ValueError, match=r"^cron: rules must .*, got '"):
        cron(*rules)


@pytest.mark.parametrize(
    "rule", ["", "x", "* * * *", "* * * * * * *", "60 * * * *", "* * * * 8", "*/0 * * * *", "@daily"]
)
def test_a_malformed_rule_is_refused_when_built(rule: str) -> None:
    with pytest.raises(ValueError, match=r"^cron: rules must be cron expressions of five or six fields"):
        cron(rule)


def test_no_rule_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^cron: rules must be at least one cron expression, got none$"):
        cron()


def test_a_rule_that_is_no_string_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^cron: rules must be cron expressions \(strings\), got 5$"):
        cron(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "tz", ["Nowhere/Land", "", "Europe", "../UTC", "/etc/passwd", "\0", timezone(timedelta(hours=2))]
)
def test_an_unknown_zone_is_refused_when_built(tz: str | timezone) -> None:
    with pytest.raises(ValueError, match=r"^cron: tz must be the name of a known time zone"):
        cron("* * * * *", tz=tz)


def test_a_zone_that_is_neither_name_nor_zone_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^cron: tz must be the name of a time zone or a ZoneInfo, got 2$"):
        cron("* * * * *", tz=2)  # type: ignore[arg-type]


@pytest.mark.parametrize("wall", [inf, -inf, nan, 1e18, -1e18, 253_402_300_800.0])
def test_a_clock_beyond_the_calendar_is_a_clear_error(wall: float) -> None:
    with pytest.raises(
        ValueError, match=r"^cron: wall must be POSIX seconds with a match before the year 10000, got"
    ):
        cron("0 0 29 2 *", tz=BERLIN).step(Tick(None, 0, 0.0, wall, 0.5))


def test_the_last_match_before_the_year_10000_is_still_found() -> None:
    last = at("9999-12-31 23:59")
    assert after(cron("* * * * *"), last - 0.5) == last
    with pytest.raises(ValueError, match="before the year 10000"):
        cron("* * * * *").step(Tick(None, 0, 0.0, last, 0.5))


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cronsim", None)
    spec = importlib.util.spec_from_file_location("calendar_without_the_extra", calendar.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    with pytest.raises(
        ImportError, match=r"^cron: needs the extra 'cron' \(pip install 'effectloop\[cron\]'\)$"
    ):
        module.cron("* * * * *")


# Values


def test_a_delay_longer_than_the_longest_is_the_longest() -> None:
    decision = cron("0 0 * 2 TUE#5").step(Tick(None, 0, 0.0, at("2084-03-01"), 0.5))
    assert isinstance(decision, Continue)
    assert decision.delay == MAX_DELAY
    assert decision.output == at("2124-02-29")


def test_a_zone_and_its_name_say_the_same() -> None:
    assert cron("0 9 * * *", tz=ZoneInfo(BERLIN)) == cron("0 9 * * *", tz=BERLIN)
    assert cron("0 9 * * *", tz=UTC) == cron("0 9 * * *", tz="UTC") == cron("0 9 * * *")


def test_it_is_a_value() -> None:
    nine = cron("0 9 * * *", "* * 1-7 * *", tz=BERLIN)
    assert nine == cron("0 9 * * *", "* * 1-7 * *", tz=BERLIN)
    assert nine != cron("0 9 * * *", tz=BERLIN)
    assert hash(nine) == hash(pickle.loads(pickle.dumps(nine)))
    assert copy.deepcopy(nine) == copy.copy(nine) == pickle.loads(pickle.dumps(nine)) == nine


def test_it_prints_as_the_expression_that_builds_it() -> None:
    assert repr(cron("0 9 * * *")) == "cron('0 9 * * *')"
    assert (
        repr(cron("0 9 * * *", "* * 1 * *", tz=BERLIN))
        == "cron('0 9 * * *', '* * 1 * *', tz='Europe/Berlin')"
    )
    assert eval(repr(cron("0 9 * * *", tz=BERLIN)), {"cron": cron}) == cron("0 9 * * *", tz=BERLIN)


def test_asked_again_with_a_corrected_wall_it_moves_with_the_clock() -> None:
    nine = cron("0 9 * * *", tz=BERLIN)
    assert after(nine, at("2025-06-01 08:00", BERLIN)) == at("2025-06-01 09:00", BERLIN)
    assert after(nine, at("2025-06-01 10:00", BERLIN)) == at("2025-06-02 09:00", BERLIN)
