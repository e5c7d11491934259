"""Effect's schedules, said with ours: a tree of a trace becomes a `Schedule`.

`EFFECT_3` and `EFFECT_4` give every word of Effect its meaning in our words. Effect has more of them than we
have, so some are said with two or three of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

from effectloop.core.calendar import cron
from effectloop.core.leaves import (
    during,
    elapsed,
    exponential,
    fibonacci,
    fixed,
    forever,
    from_delays,
    identity,
    linear,
    once,
    recur_until,
    recur_while,
    recurs,
    spaced,
    stop,
    unfold,
    windowed,
)
from effectloop.core.schedule import Schedule
from tests.golden.values import (
    Chunk,
    Json,
    Length,
    Option,
    Value,
    checking,
    delay_function,
    folding,
    function,
    length,
    num,
    number,
    pairing,
    predicate,
    value,
)

AnySchedule = Schedule[Any, Any]
Word = Callable[..., AnySchedule]
"""What a word of Effect means: a function of its parameters (the JSON) and the schedules it combines."""


def seconds(ms: Json) -> float:
    return number(ms) / 1000


def as_length(schedule: AnySchedule) -> AnySchedule:
    """Answer *schedule* with its output, in seconds, as a duration of the traces."""
    return schedule.map(lambda s: Length(s * 1000))


def constant(x: Value) -> Callable[[Value], Value]:
    return lambda _: x


def pair(a: Value, b: Value) -> Value:
    return (a, b)


def with_delay(schedule: AnySchedule) -> AnySchedule:
    """Answer *schedule* with its output and its delay (0 at Done) as a pair."""
    return schedule.intersect_with(schedule & forever(), pair)


def window(instant: float) -> Value:
    """Effect 3's output of a calendar: the second that begins then."""
    return (instant * 1000, instant * 1000 + 1000)


def calendar(rule: str) -> AnySchedule:
    return cron(rule).keep_right(forever())


def collected(schedule: AnySchedule) -> AnySchedule:
    return schedule.fold(Chunk(), Chunk.append)


def delayed(schedule: AnySchedule, f: Callable[[Value, float], float]) -> AnySchedule:
    """Answer *schedule* with the delay that *f* answers, in milliseconds and made a duration."""
    return schedule.modify_delay(lambda out, delay: length(f(out, delay * 1000)) / 1000)


def add_delay(schedule: AnySchedule, f: Callable[[Value, float], float]) -> AnySchedule:
    return delayed(schedule, lambda out, delay: delay + length(f(out, 0.0)))


def shorter(a: AnySchedule, b: AnySchedule) -> AnySchedule:
    """Recur while both do, after the shorter delay."""
    return a.both_in_out(b).map_input(lambda x: (x, x))


def longer(a: AnySchedule, b: AnySchedule) -> AnySchedule:
    """Recur while either does, after the longer delay."""
    both = with_delay(a).union_with(with_delay(b), pair)
    return both.modify_delay(lambda out, _: max(out[0][1], out[1][1])).map(lambda out: (out[0][0], out[1][0]))


def until_some(json: Json) -> AnySchedule:
    wanted, found = predicate(json["pred"]), function(json["fn"])
    options: AnySchedule = identity().map(lambda x: Option((found(x),)) if wanted(x) else Option())
    return options.until_output(lambda option: option != Option())


CONSTRUCTORS: dict[str, Word] = {
    "forever": lambda j: forever(),
    "repeatForever": lambda j: forever(),
    "count": lambda j: forever(),
    "once": lambda j: once().map(constant(None)),
    "stop": lambda j: stop(),
    "recurs": lambda j: recurs(j["n"]),
    "elapsed": lambda j: as_length(elapsed()),
    "recurUpTo": lambda j: as_length(during(seconds(j["ms"]))),
    "during": lambda j: as_length(during(seconds(j["ms"]))),
    "spaced": lambda j: spaced(seconds(j["ms"])),
    "fixed": lambda j: fixed(seconds(j["ms"])),
    "windowed": lambda j: windowed(seconds(j["ms"])),
    "duration": lambda j: as_length(from_delays(seconds(j["ms"]))),
    "fromDelay": lambda j: as_length(from_delays(seconds(j["ms"]))),
    "fromDelays": lambda j: as_length(from_delays(*map(seconds, j["ms"]))),
    "linear": lambda j: as_length(linear(seconds(j["base_ms"]))),
    "exponential": lambda j: as_length(exponential(seconds(j["base_ms"]), number(j.get("factor", 2)))),
    "fibonacci": lambda j: as_length(fibonacci(seconds(j["one_ms"]))),
    "identity": lambda j: identity(),
    "fromFunction": lambda j: identity().map(function(j["fn"])),
    "recurWhile": lambda j: recur_while(predicate(j["pred"])),
    "recurUntil": lambda j: recur_until(predicate(j["pred"])),
    "recurUntilOption": until_some,
    "collectAllInputs": lambda j: collected(identity()),
    "collectWhile": lambda j: collected(recur_while(predicate(j["pred"]))),
    "collectUntil": lambda j: collected(recur_until(predicate(j["pred"]))),
    "unfold": lambda j: unfold(value(j["initial"]), function(j["fn"])),
    "succeed": lambda j: forever().map(constant(value(j["value"]))),
    "sync": lambda j: forever().map(constant(value(j["value"]))),
}

CALENDARS: dict[str, Word] = {
    "cron": lambda j: cron(j["expr"], tz=j.get("tz", "UTC")).map(window),
    "secondOfMinute": lambda j: calendar(f"{j['second']} * * * * *"),
    "minuteOfHour": lambda j: calendar(f"{j['minute']} * * * *"),
    "hourOfDay": lambda j: calendar(f"0 {j['hour']} * * *"),
    "dayOfWeek": lambda j: calendar(f"0 0 * * {j['day']}"),
    "dayOfMonth": lambda j: calendar(f"0 0 {j['day']} * *"),
}

OF_ONE: dict[str, Word] = {
    "map": lambda j, s: s.map(function(j["fn"])),
    "mapInput": lambda j, s: s.map_input(function(j["fn"])),
    "mapBoth": lambda j, s: s.map_input(function(j["on_input"])).map(function(j["on_output"])),
    "as": lambda j, s: s.map(constant(value(j["value"]))),
    "asVoid": lambda j, s: s.map(constant(None)),
    "passthrough": lambda j, s: s.passthrough(),
    "reduce": lambda j, s: s.fold(value(j["zero"]), folding(j["fold"])),
    "repetitions": lambda j, s: s.fold(0, folding("count")),
    "collectAllOutputs": lambda j, s: collected(s),
    "delays": lambda j, s: as_length(s & forever()),
    "delayedSchedule": lambda j, s: add_delay(s, lambda out, delay: num(out)),
    "delayed": lambda j, s: delayed(s, lambda out, delay: delay_function(j["dfn"])(None, delay)),
    "addDelay": lambda j, s: add_delay(s, delay_function(j["dfn"])),
    "modifyDelay": lambda j, s: delayed(s, delay_function(j["dfn"])),
    "jittered": lambda j, s: s.jittered(),
    "jitteredWith": lambda j, s: s.jittered_between(j.get("min", 0.8), j.get("max", 1.2)),
    "check": lambda j, s: s.check(checking(j["check"])),
    "whileInput": lambda j, s: s.while_input(predicate(j["pred"])),
    "untilInput": lambda j, s: s.until_input(predicate(j["pred"])),
    "whileOutput": lambda j, s: s.while_output(predicate(j["pred"])),
    "untilOutput": lambda j, s: s.until_output(predicate(j["pred"])),
    "upTo": lambda j, s: s.up_to(elapsed=seconds(j["ms"])),
    "resetAfter": lambda j, s: s.reset_after(seconds(j["ms"])),
    "resetWhen": lambda j, s: s.reset_when(predicate(j["pred"])),
}

OF_TWO: dict[str, Word] = {
    "union": lambda j, a, b: a.union_with(b, pair),
    "either": lambda j, a, b: a.union_with(b, pair),
    "unionWith": lambda j, a, b: a.union_with(b, pair) if j["combine"] == "union" else longer(a, b),
    "eitherWith": lambda j, a, b: a.union_with(b, pair) if j["combine"] == "union" else longer(a, b),
    "intersect": lambda j, a, b: a.intersect_with(b, pair),
    "intersectWith": lambda j, a, b: shorter(a, b) if j["combine"] == "union" else a.intersect_with(b, pair),
    "zipLeft": lambda j, a, b: a.keep_left(b),
    "zipRight": lambda j, a, b: a.keep_right(b),
    "zipWith": lambda j, a, b: a.intersect_with(b, pairing(j["fn2"])),
    "andThen": lambda j, a, b: a.and_then(b),
    "andThenEither": lambda j, a, b: a.and_then_tagged(b),
    "compose": lambda j, a, b: a.compose(b),
    "bothInOut": lambda j, a, b: a.both_in_out(b),
}

EFFECT_3: dict[str, Word] = CONSTRUCTORS | CALENDARS | OF_ONE | OF_TWO


def up_to(json: Json, schedule: AnySchedule) -> AnySchedule:
    times, limit = json.get("times"), json.get("ms")
    if times is None and limit is None:
        return schedule
    return schedule.up_to(times=times, elapsed=None if limit is None else seconds(limit))


def goes_on(json: Json, schedule: AnySchedule) -> AnySchedule:
    """Effect 4's `while`: a test of all that is known of the step, by name."""
    since_previous = elapsed().fold((0.0, 0.0), lambda last, now: (last[1], now)).map(lambda x: x[1] - x[0])
    clocks = forever().intersect_with(elapsed(), pair).intersect_with(since_previous, pair)
    known = with_delay(schedule).intersect_with(clocks, pair)
    tests = {name: predicate(test) for name, test in json["while"].items()}

    def holds(given: Value, out: Value) -> bool:
        (output, delay), ((count, since_start), since_last) = out
        facts = {
            "input": given,
            "output": output,
            "attempt": count + 1,
            "elapsed": since_start * 1000,
            "elapsed_since_previous": since_last * 1000,
            "duration": delay * 1000,
        }
        return all(test(facts[name]) for name, test in tests.items())

    return known.check(holds).map(lambda out: out[0][0])


EFFECT_4: dict[str, Word] = EFFECT_3 | {
    "cron": lambda j: as_length(cron(j["expr"], tz=j.get("tz", "UTC")) & forever()),
    "addDelay": lambda j, s: delayed(s, lambda out, delay: delay + delay_function(j["dfn"])(out, 0.0)),
    "upTo": up_to,
    "while": goes_on,
    "concat": EFFECT_3["andThen"],
    "concatResult": EFFECT_3["andThenEither"],
    "max": lambda j, *all: as_length(reduce(lambda a, b: a & b, all, forever())),
    "min": lambda j, *all: as_length(reduce(lambda a, b: a | b, all) & forever()),
}


def children(json: Json) -> list[Json]:
    return [json["of"]] if "of" in json else json.get("args", [])


def nodes(json: Json) -> Iterator[Json]:
    """Answer every node of a tree, the root first."""
    yield json
    for child in children(json):
        yield from nodes(child)


def build(json: Json, meaning: Callable[[Json], Word]) -> AnySchedule:
    """Answer the schedule that *json* describes, when every node means what *meaning* says."""
    return meaning(json)(json, *(build(child, meaning) for child in children(json)))
