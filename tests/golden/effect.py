"""Effect's own meaning of the words that mean something else with us, on purpose.

Each row of `differences.json` about schedules is a `Difference` here: for some words, the meaning that Effect
gives them, as nodes that need not keep our rules. A case that our schedules do not reproduce must be
reproduced, to the last output, once the words of some rows get Effect's meaning; then these rows, and nothing
else, explain it. (Two rows have no such nodes, see replay.py.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import ceil, inf, nan
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from cronsim import CronSim
from typing_extensions import override

from effectloop.core.leaves import elapsed, forever, recurs
from effectloop.core.node import STATE, Node, Tick
from effectloop.core.schedule import Schedule
from tests.golden.build import (
    CALENDARS,
    EFFECT_3,
    EFFECT_4,
    AnySchedule,
    Word,
    as_length,
    pair,
    window,
)
from tests.golden.values import Chunk, Json, Length, Value, folding, number, value

AnyNode = Node[Any, Any]
AnyDecision = tuple[float | None, Value, AnyNode]


class Difference(NamedTuple):
    """Words that mean something else in Effect, where *when* holds of the node that uses them."""

    id: str
    words: dict[str, Word]
    when: Callable[[Json], bool] = lambda json: True


class Died(Exception):
    """What a defect or a typed failure inside a step is to the replay."""


class Draws(float):
    """The draw of a step that knows what else Effect drew in it."""

    left: list[float]

    def __new__(cls, uniforms: list[float]) -> Draws:
        self = super().__new__(cls, uniforms[0] if uniforms else 0.5)
        self.left = list(uniforms)
        return self

    def take(self) -> float:
        return self.left.pop(0) if self.left else nan


@dataclass(frozen=True, slots=True)
class Leaf(AnyNode):
    """Delay and output as a function of the tick; a function may raise `Died`."""

    f: Callable[[Tick[Any]], tuple[float, Value]]

    @override
    def decide(self, tick: Tick[Any]) -> AnyDecision:
        return (*self.f(tick), self)


def leaf(f: Callable[[Tick[Any]], tuple[float, Value]]) -> AnySchedule:
    return Schedule(Leaf(f))


# Counting and folding


def lagging(schedule: AnySchedule, zero: Value, f: Callable[[Value, Value], Value]) -> AnySchedule:
    """A fold whose output is what was folded before this step."""
    return schedule.fold((zero, zero), lambda z, out: (z[1], f(z[1], out))).map(lambda z: z[0])


def lagging_chunk(schedule: AnySchedule) -> AnySchedule:
    return lagging(schedule, Chunk(), Chunk.append)


FOLD = Difference(
    "fold-includes-the-current-output",
    {
        "reduce": lambda j, s: lagging(s, value(j["zero"]), folding(j["fold"])),
        "repetitions": lambda j, s: lagging(s, 0, folding("count")),
        "collectAllOutputs": lambda j, s: lagging_chunk(s),
        "collectAllInputs": lambda j: lagging_chunk(EFFECT_3["identity"](j)),
        "collectWhile": lambda j: lagging_chunk(EFFECT_3["recurWhile"](j)),
        "collectUntil": lambda j: lagging_chunk(EFFECT_3["recurUntil"](j)),
    },
)


# Two sides


@dataclass(frozen=True, slots=True)
class EitherSide(AnyNode):
    """A union that asks a side again after its Done."""

    left: AnyNode
    right: AnyNode
    choose: Callable[[float, float], float]

    @override
    def decide(self, tick: Tick[Any]) -> AnyDecision:
        left, left_output, left_rest = self.left.decide(tick)
        right, right_output, right_rest = self.right.decide(tick)
        delays = [delay for delay in (left, right) if delay is not None]
        delay = self.choose(*delays) if len(delays) == 2 else delays[0] if delays else None
        return delay, (left_output, right_output), EitherSide(left_rest, right_rest, self.choose)


def either_side(json: Json, a: AnySchedule, b: AnySchedule) -> AnySchedule:
    return Schedule(EitherSide(a.node, b.node, min if json.get("combine", "union") == "union" else max))


def any_side(json: Json, first: AnySchedule, *others: AnySchedule) -> AnySchedule:
    for other in others:
        first = either_side(json, first, other)
    return as_length(first & forever())


UNION = Difference(
    "done-is-final",
    dict.fromkeys(("union", "either", "unionWith", "eitherWith"), either_side) | {"min": any_side},
)


# Grids


@dataclass(frozen=True, slots=True)
class EffectFixed(AnyNode):
    """Waits a whole interval on a boundary, and plans an overrun for the moment it is noticed (all in ms)."""

    interval: float
    start: float = field(default=nan, metadata=STATE)
    planned: float = field(default=nan, metadata=STATE)

    @override
    def decide(self, tick: Tick[Any]) -> AnyDecision:
        now, interval = round(tick.elapsed * 1000, 6), self.interval
        if tick.recurrence == 0 or interval == 0:
            return interval / 1000, tick.recurrence, EffectFixed(interval, now, now + interval)
        boundary = interval - round((now - self.start) % interval, 6)
        delay = 0.0 if now > self.planned + interval else boundary or interval
        return delay / 1000, tick.recurrence, EffectFixed(interval, self.start, now + delay)


FIXED = Difference("fixed-keeps-its-grid", {"fixed": lambda j: Schedule(EffectFixed(number(j["ms"])))})
ZERO_WINDOW = Difference(
    "a-window-of-zero",
    {"windowed": lambda j: leaf(lambda tick: (nan if tick.recurrence else 0.0, tick.recurrence))},
    lambda j: number(j["ms"]) == 0,
)


# Chance


@dataclass(frozen=True, slots=True)
class Drawing(AnyNode):
    """A jitter that draws for itself."""

    of: AnyNode
    low: float
    high: float

    @override
    def decide(self, tick: Tick[Any]) -> AnyDecision:
        delay, output, rest = self.of.decide(tick)
        if delay is None:
            return None, output, self
        assert isinstance(tick.draw, Draws)
        draw = tick.draw.take()
        return (
            delay * self.low * (1 - draw) + delay * self.high * draw,
            output,
            Drawing(rest, self.low, self.high),
        )


def drawing(json: Json, schedule: AnySchedule) -> AnySchedule:
    return Schedule(Drawing(schedule.node, json.get("min", 0.8), json.get("max", 1.2)))


def asking_before_reset(json: Json, schedule: AnySchedule) -> AnySchedule:
    """`resetAfter` as Effect defines it: the old schedule decides, and draws, before it is dropped."""
    timed = schedule.intersect_with(elapsed(), pair)
    return timed.reset_when(lambda out: out[1] * 1000 >= number(json["ms"])).map(lambda out: out[0])


DRAWS = Difference(
    "one-draw-a-tick",
    {"jittered": drawing, "jitteredWith": drawing, "resetAfter": asking_before_reset},
)


# Numbers


def growing(f: Callable[[int], float]) -> AnySchedule:
    """Delays of f(recurrence) milliseconds, with no longest one."""

    def decide(tick: Tick[Any]) -> tuple[float, Value]:
        try:
            delay = f(tick.recurrence)
        except OverflowError:
            delay = inf
        return max(delay, 0.0) / 1000, Length(delay)

    return leaf(decide)


def effects_exponential(json: Json) -> AnySchedule:
    base, factor = number(json["base_ms"]), number(json.get("factor", 2))
    return growing(lambda n: max(0.0, base * factor**n))


def dies_of_a_fraction(json: Json) -> AnySchedule:
    base, factor = number(json["base_ms"]), number(json.get("factor", 2))

    def delay(n: int) -> float:
        if factor**n % 1:
            raise Died("a fraction of a millisecond times a fraction")
        return base * factor**n

    return growing(delay)


def fibonacci_number(n: int) -> float:
    a, b = 1.0, 1.0
    for _ in range(n):
        a, b = b, a + b
    return a


SATURATION = Difference(
    "delays-saturate",
    {
        "exponential": effects_exponential,
        "linear": lambda j: growing(lambda n: number(j["base_ms"]) * (n + 1)),
        "fibonacci": lambda j: growing(lambda n: number(j["one_ms"]) * fibonacci_number(n)),
    },
)
FRACTIONS = Difference(
    "fractions-of-a-millisecond",
    {"exponential": dies_of_a_fraction},
    lambda j: number(j["base_ms"]) % 1 != 0,
)

# Parameters that we refuse


def is_no_count(json: Json) -> bool:
    return not isinstance(json["n"], int) or json["n"] < 0


BAD_COUNT_3 = Difference("bad-counts", {"recurs": lambda j: recurs(max(0, ceil(j["n"])))}, is_no_count)
BAD_COUNT_4 = Difference("bad-counts", {"recurs": lambda j: recurs(max(0, int(j["n"])))}, is_no_count)
BAD_FACTOR_3 = Difference(
    "bad-factors", {"exponential": effects_exponential}, lambda j: j.get("factor", 2) < 0
)
BAD_FACTOR_4 = Difference(
    "bad-factors",
    {"exponential": lambda j: growing(lambda n: j["base_ms"] * j["factor"] ** n)},
    lambda j: j.get("factor", 2) < 0,
)
BAD_JITTER = Difference(
    "bad-jitter", {"jitteredWith": drawing}, lambda j: j.get("min", 0.8) > j.get("max", 1.2)
)


def dies(*_: object) -> AnySchedule:
    def decide(tick: Tick[Any]) -> tuple[float, Value]:
        raise Died("at the first step")

    return leaf(decide)


def is_refused(json: Json) -> bool:
    try:
        CALENDARS[json["op"]](json)
    except ValueError:
        return True
    return False


REFUSED = Difference("refused-when-built", dict.fromkeys(CALENDARS, dies), is_refused)
SUNDAY = Difference("sunday-is-0-and-7", {"dayOfWeek": dies}, lambda j: j["day"] == 0)


# Calendars


def effects_calendar(json: Json) -> AnySchedule:
    """The window that now is in, at the first step; afterwards the next one, which for a day may overflow."""
    ours = CALENDARS[json["op"]](json).node

    def decide(tick: Tick[Any]) -> tuple[float, Value]:
        now = datetime.fromtimestamp(tick.wall, UTC)
        shown, wanted = {
            "secondOfMinute": (now.second, json.get("second")),
            "minuteOfHour": (now.minute, json.get("minute")),
            "hourOfDay": (now.hour, json.get("hour")),
            "dayOfWeek": (now.isoweekday() % 7, json.get("day")),
            "dayOfMonth": (now.day, json.get("day")),
        }[json["op"]]
        if tick.recurrence == 0 and shown == wanted:
            return 0.0, tick.recurrence
        delay, output, _ = ours.decide(tick)
        assert delay is not None
        if json["op"] == "dayOfMonth" and shown < wanted:
            overflown = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0) + timedelta(
                days=wanted - 1
            )
            delay = overflown.timestamp() - tick.wall
        return delay, output

    return leaf(decide)


def shifted_over_the_gap(json: Json) -> AnySchedule:
    """A skipped local time runs as much after the gap as it was in it."""
    ours, zone = CALENDARS["cron"](json).node, ZoneInfo(json.get("tz", "UTC"))

    def decide(tick: Tick[Any]) -> tuple[float, Value]:
        delay, output, _ = ours.decide(tick)
        assert delay is not None
        local = datetime.fromtimestamp(tick.wall, zone).replace(tzinfo=None)
        instant = next(CronSim(json["expr"], local)).replace(tzinfo=zone, fold=0).timestamp()
        if tick.wall + delay < instant < tick.wall + delay + 7200:
            return instant - tick.wall, window(instant)
        return delay, output

    return leaf(decide)


FIRST_WINDOW = Difference(
    "a-calendar-word-is-a-cron-rule", dict.fromkeys(CALENDARS.keys() - {"cron"}, effects_calendar)
)
GAP_3 = Difference(
    "a-skipped-time-runs-right-after-the-gap", {"cron": shifted_over_the_gap}, lambda j: "tz" in j
)
GAP_4 = GAP_3._replace(words={"cron": lambda j: as_length(shifted_over_the_gap(j) & forever())})


# Effect 4's limits


def inclusive(json: Json, schedule: AnySchedule) -> AnySchedule:
    within = elapsed().while_output(lambda s: round(s * 1000, 6) <= number(json["ms"]))
    return EFFECT_4["upTo"]({"op": "upTo", "times": json.get("times")}, schedule.keep_left(within))


LIMIT = Difference(
    "a-limit-reached-is-over",
    {
        "upTo": inclusive,
        "during": lambda j: inclusive(j, EFFECT_3["elapsed"](j)),
    },
    lambda j: j.get("ms") is not None,
)

DIFFERENCES_3 = [
    FOLD,
    UNION,
    FIXED,
    DRAWS,
    ZERO_WINDOW,
    SATURATION,
    FRACTIONS,
    BAD_COUNT_3,
    BAD_FACTOR_3,
    BAD_JITTER,
    FIRST_WINDOW,
    GAP_3,
    SUNDAY,
    REFUSED,
]
DIFFERENCES_4 = [UNION, FIXED, DRAWS, LIMIT, SATURATION, BAD_COUNT_4, BAD_FACTOR_4, GAP_4, REFUSED]
