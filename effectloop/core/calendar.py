"""Calendars: `cron`, the one schedule that reads the wall clock.

House rules of this file:

- rules speak of local times, so matching knows nothing of zones: a `_Calendar` finds the next local time;
- zones come in afterwards, in `_next_instant` alone, where local times become instants and clocks change;
- an instant is a whole number of POSIX seconds, so nothing here is rounded.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
from math import floor
from typing import Final, final
from zoneinfo import ZoneInfo

from typing_extensions import override

from effectloop.core.duration import saturated
from effectloop.core.node import VARIADIC, Decision, Node, Tick
from effectloop.core.schedule import Schedule

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND: Final = timedelta(seconds=1)
_DAY: Final = timedelta(days=1)
_EVERY_KIND_OF_YEAR: Final = range(date(2000, 1, 1).toordinal(), date(2028, 1, 1).toordinal())
"""Days of 28 years, leap or not and beginning on each weekday: rules that match none of them never match."""


def cron(*rules: str, tz: str | tzinfo = "UTC") -> Schedule[object, float]:
    """Recur at the instants that the cron *rules* name, in the local time of *tz*.

    Decides the next instant strictly after ``tick.wall`` at which every rule matches. A rule has five
    fields, ``minute hour day-of-month month day-of-week``, or six with the seconds first. It may use
    numbers, names (``MON``, ``JAN``), lists, ranges, steps, ``L`` (the last day of the month, ``5L`` its
    last Friday), ``LW`` (its last weekday) and ``5#2`` (its second Friday). The two day fields meet as in
    Debian's cron:

    ============  ===========  ==========================================================
    day-of-month  day-of-week  matching days
    ============  ===========  ==========================================================
    ``13``        ``*``        the 13th
    ``*``         ``5``        every Friday
    ``13``        ``5``        the 13th and every Friday: either will do
    ``*/10``      ``5``        Fridays that are the 1st, 11th, 21st or 31st: a field that
                               begins with ``*`` must match as well
    ``13``        ``*/5``      13ths that are a Sunday or a Friday, for the same reason
    two rules                  ``cron("0 9 13 * *", "0 9 * * 5")`` is Friday the 13th
    ============  ===========  ==========================================================

    Where clocks change there is one rule. A local time that is skipped runs at the first valid instant
    after the gap; one that is repeated runs once, the first time. But a rule whose minutes or hours begin
    with ``*`` keeps its rhythm: it runs whenever the clock shows a matching time, twice where that is
    repeated and not at all where it is skipped. Several rules keep their rhythm when each of them would.

    Args:
        rules: One or more cron expressions; all must match.
        tz: The zone whose local time the rules mean: a name such as ``"Europe/Berlin"``, or a `ZoneInfo`.
    Outputs:
        The instant decided, in POSIX seconds.
    Raises:
        ImportError: The extra ``cron`` is not installed.
        TypeError: A rule is no string, or *tz* neither a name nor a zone.
        ValueError: A rule is malformed, the rules can never match (30 February), or *tz* is unknown; at a
            step, when there is no instant left before the year 10000.
    Laws:
        ``tick.wall < output``, in every zone on every day.
    Source:
        Vixie's cron with Debian's clock-change rules, read by the ``cronsim`` package; Effect's ``cron``.
    Example:
        >>> from effectloop import Tick, cron
        >>> nine = cron("0 9 * * MON-FRI", tz="Europe/Berlin")
        >>> friday_noon = 1_711_710_000.0  # 68 hours before, as clocks are set forward on Sunday
        >>> nine.step(Tick(None, 0, 0.0, friday_noon, 0.5))
        Continue(delay=244800.0, output=1711954800.0, rest=cron('0 9 * * MON-FRI', tz='Europe/Berlin'))
    """
    given: tuple[object, ...] = rules  # the annotation is a promise, not a fact
    if not rules:
        msg = "cron: rules must be at least one cron expression, got none"
        raise ValueError(msg)
    for rule in given:
        if not isinstance(rule, str):
            msg = f"cron: rules must be cron expressions (strings), got {rule!r}"
            raise TypeError(msg)
    name = _zone_name(tz)
    _calendar(rules)  # refuses rules that cannot be read or met
    return Schedule(_Cron(rules, tz=name))


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Cron(Node[object, float]):
    rules: tuple[str, ...] = field(metadata=VARIADIC)
    tz: str = field(default="UTC", kw_only=True)

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, float]:
        calendar, zone = _calendar(self.rules), ZoneInfo(self.tz)
        try:
            instant = _next_instant(calendar, zone, floor(tick.wall))
        except (OverflowError, ValueError):
            msg = f"cron: wall must be POSIX seconds with a match before the year 10000, got {tick.wall!r}"
            raise ValueError(msg) from None
        return saturated(instant - tick.wall), float(instant), self


@final
@dataclass(frozen=True, slots=True)
class _Calendar:
    """The local times at which every rule matches."""

    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    months: frozenset[int]
    days: tuple[Callable[[date], bool], ...]
    rhythmic: bool

    def has(self, day: date) -> bool:
        return day.month in self.months and all(matches(day) for matches in self.days)

    def after(self, local: datetime) -> datetime:
        """Answer the first matching local time strictly after *local*."""
        day = local.date()
        if self.has(day):
            for later in self._times_after(local.hour, local.minute, local.second):
                return datetime.combine(day, later)
        day += _DAY
        while not self.has(day):
            day += _DAY
        return datetime.combine(day, time(self.hours[0], self.minutes[0], self.seconds[0]))

    def _times_after(self, hour: int, minute: int, second: int) -> Iterator[time]:
        return (
            time(h, m, s)
            for h in self.hours
            if h >= hour
            for m in self.minutes
            if (h, m) >= (hour, minute)
            for s in self.seconds
            if (h, m, s) > (hour, minute, second)
        )


@cache
def _calendar(rules: tuple[str, ...]) -> _Calendar:
    try:
        from cronsim import CronSim, CronSimError  # an extra: asked for only where it is needed
    except ImportError:
        msg = "cron: needs the extra 'cron' (pip install 'effectloop[cron]')"
        raise ImportError(msg) from None
    shown = ", ".join(map(repr, rules))
    try:
        read = [CronSim(rule, _EPOCH) for rule in rules]
    except CronSimError as error:
        msg = f"cron: rules must be cron expressions of five or six fields, got {shown} ({error})"
        raise ValueError(msg) from None
    calendar = _Calendar(
        tuple(n for n in range(60) if all(n in rule.seconds for rule in read)),
        tuple(n for n in range(60) if all(n in rule.minutes for rule in read)),
        tuple(n for n in range(24) if all(n in rule.hours for rule in read)),
        frozenset(n for n in range(1, 13) if all(n in rule.months for rule in read)),
        tuple(rule.match_day for rule in read),
        all(any(part.startswith("*") for part in rule.split()[-5:-3]) for rule in rules),
    )
    timely = calendar.seconds and calendar.minutes and calendar.hours
    if not timely or not any(map(calendar.has, map(date.fromordinal, _EVERY_KIND_OF_YEAR))):
        msg = f"cron: rules must all match at some instant, got {shown}, which never do"
        raise ValueError(msg)
    return calendar


def _zone_name(tz: object) -> str:
    if not isinstance(tz, str | tzinfo):
        msg = f"cron: tz must be the name of a time zone or a ZoneInfo, got {tz!r}"
        raise TypeError(msg)
    try:
        return ZoneInfo(str(tz)).key
    except (KeyError, ValueError, OSError):  # unknown; not a name; a folder of names
        msg = f"cron: tz must be the name of a known time zone, such as 'Europe/Berlin', got {tz!r}"
        raise ValueError(msg) from None


def _next_instant(calendar: _Calendar, zone: ZoneInfo, now: int) -> int:
    """Answer the first instant after *now* at which *calendar* runs, in POSIX seconds."""
    here = _shown(zone, now)
    local = here.replace(tzinfo=None)
    found = calendar.after(local)
    first, again = _instants(local, zone)
    if first < again:  # this local time comes twice
        end = local + (_change(zone, first, again) - first) * _SECOND  # where the clock is set back
        if here.fold and not calendar.rhythmic:
            found = calendar.after(end - _SECOND)  # all before it ran the first time
        elif not here.fold and calendar.rhythmic and found >= end:
            found = calendar.after(end - (again - first) * _SECOND - _SECOND)
    first, again = _instants(found, zone)
    if first > again:  # no clock shows this local time
        change = _change(zone, again, first)
        if not calendar.rhythmic:
            return change
        first, again = _instants(calendar.after(found + (change - again - 1) * _SECOND), zone)
    return first if first > now else again


def _shown(zone: ZoneInfo, instant: int) -> datetime:
    return (_EPOCH + instant * _SECOND).astimezone(zone)


def _instants(local: datetime, zone: ZoneInfo) -> tuple[int, int]:
    """Answer when *local* is shown the first and the last time: the same, but near a clock change.

    A local time that is skipped is read as if the clock had not changed, and as if it always had: so the
    first instant is the later one, and the change lies between.
    """
    return (
        int(local.replace(tzinfo=zone, fold=0).timestamp()),
        int(local.replace(tzinfo=zone, fold=1).timestamp()),
    )


def _change(zone: ZoneInfo, before: int, after: int) -> int:
    """Answer the first instant that *zone*'s clock shows with the offset it has at *after*."""
    offset = _shown(zone, before).utcoffset()
    return before + bisect_left(
        range(before, after), True, key=lambda now: _shown(zone, now).utcoffset() != offset
    )
