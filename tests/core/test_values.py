"""A schedule is a value: `==`, `hash`, `copy`, `pickle`, and a `repr` that builds it again."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass
from typing import Any, final

import pytest
from returns.result import Failure, Result, Success

import effectloop
from effectloop import (
    Continue,
    Decision,
    Done,
    Node,
    Schedule,
    Tick,
    decorrelated,
    exponential,
    fixed,
    forever,
    from_delays,
    linear,
    on_result,
    once,
    recur_while,
    recurs,
    route,
    spaced,
    stop,
    unfold,
    windowed,
)
from effectloop.core.node import STATE

NAMES = {name: getattr(effectloop, name) for name in effectloop.__all__}


def low(n: float) -> bool:
    return n < 2


def next_one(n: int) -> int:
    return n + 1


def add(total: float, n: float) -> float:
    return total + n


def kind(given: object) -> str:
    return type(given).__name__


class Methods:
    @staticmethod
    def low(n: float) -> bool:
        return n < 2


WITHOUT_CALLABLES = [
    "forever()",
    "stop()",
    "recurs(3)",
    "spaced(0.25)",
    "fixed(10)",
    "windowed(3600)",
    "linear(1)",
    "exponential(0.1)",
    "exponential(0.1, 3)",
    "exponential(1e-07, 1.5)",
    "fibonacci(1)",
    "from_delays(1, 0.5, 30)",
    "decorrelated(1, 60)",
    "elapsed()",
    "during(60)",
    "identity()",
    "exponential(0.1).capped(30) & recurs(10)",
    "exponential(1).at_least(2).jittered().jittered(0.5).jittered_between(0, 1).held()",
    "spaced(1).up_to(times=3)",
    "spaced(1).up_to(elapsed=0)",
    "spaced(1).up_to(times=0, elapsed=2.5)",
    "spaced(1).within(60).reset_after(3600)",
    "spaced(1).passthrough()",
    "spaced(1).reset_on_success(forever())",
    "spaced(1).reset_on_success(linear(1), stable_for=60)",
    "spaced(1).keep_left(recurs(3)).keep_right(recurs(4))",
    "spaced(1).and_then(linear(2)).and_then_tagged(linear(3))",
    "spaced(1).compose(identity()).both_in_out(identity())",
    "on_result(spaced(1), exponential(1) & recurs(3))",
    "spaced(1) & linear(1) & recurs(3)",
    "spaced(1) & (linear(1) & recurs(3))",
    "spaced(1) | linear(1) | recurs(3)",
    "spaced(1) | (linear(1) | recurs(3))",
    "spaced(1) & linear(1) | recurs(3) & stop()",
    "(spaced(1) | linear(1)) & (recurs(3) | stop())",
    "(spaced(1) & linear(1)).capped(3)",
    "(spaced(1) | linear(1)).and_then(spaced(1) & linear(1))",
]


@pytest.mark.parametrize("text", WITHOUT_CALLABLES)
def test_repr_prints_the_expression_that_builds_a_schedule(text: str) -> None:
    schedule = eval(text, dict(NAMES))
    assert repr(schedule) == repr(schedule.node) == text
    assert eval(repr(schedule), dict(NAMES)) == schedule


def with_callables() -> list[tuple[Schedule[Any, Any], str]]:
    return [
        (recur_while(low), "recur_while(low)"),
        (effectloop.recur_until(low), "recur_until(low)"),
        (unfold(0, next_one), "unfold(0, next_one)"),
        (unfold((1, "a"), id), "unfold((1, 'a'), id)"),
        (linear(1).fold(0.0, add), "linear(1).fold(0, add)"),
        (linear(1).map(low), "linear(1).map(low)"),
        (linear(1).map_input(low), "linear(1).map_input(low)"),
        (linear(1).modify_delay(add), "linear(1).modify_delay(add)"),
        (linear(1).delay_from(add), "linear(1).delay_from(add)"),  # type: ignore[arg-type]
        (linear(1).while_input(low), "linear(1).while_input(low)"),
        (linear(1).until_input(low), "linear(1).until_input(low)"),
        (linear(1).while_output(low), "linear(1).while_output(low)"),
        (linear(1).until_output(low), "linear(1).until_output(low)"),
        (linear(1).check(add), "linear(1).check(add)"),  # type: ignore[arg-type]
        (linear(1).reset_when(low), "linear(1).reset_when(low)"),
        (linear(1).reset_on_input(low), "linear(1).reset_on_input(low)"),
        (linear(1).intersect_with(recurs(3), add), "linear(1).intersect_with(recurs(3), add)"),
        (linear(1).union_with(recurs(3), add), "linear(1).union_with(recurs(3), add)"),
        (route(kind, {"int": forever()}), "route(kind, {'int': forever()}, stop())"),
        (route(kind, {}, once() | stop()), "route(kind, {}, recurs(1) | stop())"),
    ]


@pytest.mark.parametrize(("schedule", "text"), with_callables(), ids=repr)
def test_repr_prints_functions_by_their_name(schedule: Schedule[Any, Any], text: str) -> None:
    assert repr(schedule) == text
    assert eval(text, {**NAMES, "low": low, "next_one": next_one, "add": add, "kind": kind}) == schedule


@pytest.mark.parametrize(
    "schedule",
    [
        linear(1).map(lambda n: n),
        linear(1).map(Methods.low),
        linear(1).map(Methods().low),
        linear(1).map("{}".format),
        linear(1).map(copy.copy),
        linear(1).map(type("Adder", (), {"__call__": lambda _, n: n})()),
    ],
    ids=["lambda", "static method", "method", "bound method", "function", "object"],
)
def test_a_function_without_a_plain_name_is_never_read_back_as_another(schedule: Schedule[Any, Any]) -> None:
    text = repr(schedule)
    assert text.startswith("linear(1).map(")
    with pytest.raises((SyntaxError, NameError)):
        eval(text, {**NAMES, "Methods": None, "str": None})


ALL: list[Schedule[Any, Any]] = [
    *(eval(text, dict(NAMES)) for text in WITHOUT_CALLABLES),
    *(schedule for schedule, _ in with_callables()),
]


def inputs(schedule: Schedule[Any, Any]) -> list[Any]:
    """Inputs that *schedule* can read, some of which end a side or begin one afresh."""
    text = repr(schedule)
    if "both_in_out" in text:
        return [(0, 1), (3, 2), (1, 3), (0, 0), (5, 5)]
    if "on_result" in text or "reset_on_success" in text:
        results: list[Result[int, int]] = [Failure(1), Success(2), Failure(3), Failure(4), Success(5)]
        return results
    if "delay_from" in text or "check" in text or "route" in text:
        return [1, 2, 3]
    return [0, 1, 3, 1, 0, 4]


def rests(schedule: Schedule[Any, Any]) -> Iterator[Schedule[Any, Any]]:
    """The schedule and every rest of a run of it, to its end."""
    yield schedule
    now = 0.25
    for recurrence, given in enumerate(inputs(schedule)):
        try:
            step = schedule.step(Tick(given, recurrence, now, now, 0.25))
        except TypeError:
            assert "add" in repr(
                schedule
            )  # `add` is no delay function of a tick: here it only has to be a function
            return
        if isinstance(step, Done):
            return
        now, schedule = now + step.delay + 0.25, step.rest
        yield schedule


def shape(node: object) -> object:
    """The tree without its state; a node in a state field is no part of it."""
    if isinstance(node, tuple):
        return tuple(shape(part) for part in node)
    if not is_dataclass(node):
        return node
    kept = [f.name for f in fields(node) if not f.metadata.get("state")]
    return type(node), [(name, shape(getattr(node, name))) for name in kept]


@pytest.mark.parametrize("schedule", ALL, ids=repr)
def test_every_rest_is_a_value_of_the_same_shape(schedule: Schedule[Any, Any]) -> None:
    for rest in rests(schedule):
        assert shape(rest.node) == shape(schedule.node)
        assert copy.copy(rest) == rest
        assert copy.deepcopy(rest) == rest
        assert hash(copy.deepcopy(rest)) == hash(rest)
        assert pickle.loads(pickle.dumps(rest)) == rest


@pytest.mark.parametrize("schedule", ALL, ids=repr)
def test_a_fresh_schedule_and_one_with_state_differ_and_print_so(schedule: Schedule[Any, Any]) -> None:
    for rest in rests(schedule):
        assert (rest == schedule) == (repr(rest) == repr(schedule))
        assert ("<" in repr(rest)) == (rest != schedule)
        if rest != schedule:
            with pytest.raises(SyntaxError):
                eval(repr(rest), dict(NAMES))


def after(schedule: Schedule[Any, Any], *given: tuple[Any, float]) -> str:
    for recurrence, (what, now) in enumerate(given):
        step = schedule.step(Tick(what, recurrence, now, 0.0, 0.5))
        assert isinstance(step, Continue)
        schedule = step.rest
    return repr(schedule)


@pytest.mark.parametrize(
    ("schedule", "ticks", "text"),
    [
        (fixed(1).capped(3), [2.5], "fixed(1)<slot=2>.capped(3)"),
        (fixed(1) & windowed(1), [0], "fixed(1)<slot=1> & windowed(1)"),
        ((fixed(1) & windowed(1)).held(), [0], "(fixed(1)<slot=1> & windowed(1)).held()<last=1>"),
        ((stop() | spaced(1)) & spaced(2), [0], "(stop() | spaced(1))<left_done=True> & spaced(2)"),
        ((stop() | spaced(1)).capped(2), [0], "(stop() | spaced(1))<left_done=True>.capped(2)"),
        (decorrelated(1, 9), [0], "decorrelated(1, 9)<previous=2>"),
        (unfold(0, next_one), [0], "unfold(0, next_one)<current=(1,)>"),
        (linear(1).fold(0.0, add), [0], "linear(1).fold(0, add)<folded=(1.0,)>"),
        (stop().and_then(spaced(1)), [2], "stop().and_then(spaced(1))<handed_over=True, elapsed=2>"),
        (spaced(1).reset_after(1), [2], "spaced(1).reset_after(1)<elapsed=2>"),
        (fixed(1).reset_after(1), [2], "fixed(1).reset_after(1)<running=fixed(1)<slot=1>, elapsed=2>"),
    ],
)
def test_state_is_shown_in_angle_brackets_where_it_is(
    schedule: Schedule[object, object], ticks: list[float], text: str
) -> None:
    assert after(schedule, *((None, now) for now in ticks)) == text


def test_a_side_prints_as_its_schedule_and_its_state() -> None:
    sides = on_result(spaced(1), spaced(2) & recurs(9))
    assert after(sides, (Success(0), 2.0)) == (
        "on_result(spaced(1)<began=2>, spaced(2) & recurs(9))<succeeding=True>"
    )
    assert after(sides, (Success(0), 2.0), (Failure(0), 3.0)) == (
        "on_result(spaced(1)<count=1, began=2>, (spaced(2) & recurs(9))<began=3>)<succeeding=False, since=1>"
    )
    assert after(route(kind, {"int": spaced(1)}, spaced(2)), (3, 1.0), ("a", 2.0)) == (
        "route(kind, {'int': spaced(1)<count=1, began=1>}, spaced(2)<began=2>)<turn=-1, since=1>"
    )
    assert after(exponential(1).reset_on_success(), (Failure(0), 1.0)) == (
        "exponential(1).reset_on_success(forever())<failing=exponential(1)<began=1>>"
    )


def test_equal_expressions_are_equal_values_and_one_key() -> None:
    assert exponential(1).capped(3) & recurs(2) == exponential(1, 2).capped(3.0) & recurs(2)
    assert len({exponential(1), exponential(1.0), exponential(1, factor=2)}) == 1
    assert exponential(1) != exponential(2)
    assert exponential(1) != linear(1)
    assert exponential(1) != exponential(1).node
    assert spaced(1) & recurs(2) != recurs(2) & spaced(1)
    assert once() == recurs(1)


def test_callables_compare_by_identity_and_lambdas_do_not_pickle() -> None:
    assert linear(1).map(low) == linear(1).map(low)
    assert linear(1).map(lambda n: n) != linear(1).map(lambda n: n)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(linear(1).map(lambda n: n))


def test_a_schedule_with_an_unhashable_value_compares_and_copies_but_does_not_hash() -> None:
    schedule = linear(1).fold([], lambda seen, delay: [*seen, delay])
    assert schedule == copy.copy(schedule)
    with pytest.raises(TypeError, match="unhashable"):
        hash(schedule)


@pytest.mark.parametrize("schedule", ALL, ids=repr)
def test_a_schedule_and_its_nodes_are_frozen_and_slotted(schedule: Schedule[Any, Any]) -> None:
    for value in (schedule, schedule.node):
        assert not hasattr(value, "__dict__")
        for name in [f.name for f in fields(value)]:  # type: ignore[arg-type]
            with pytest.raises(FrozenInstanceError):
                setattr(value, name, None)


def test_a_step_is_a_value_too() -> None:
    tick = Tick(None, 0, 0.0, 0.0, 0.5)
    assert repr(spaced(1).step(tick)) == "Continue(delay=1.0, output=0, rest=spaced(1))"
    assert spaced(1).step(tick) == pickle.loads(pickle.dumps(spaced(1).step(tick)))
    assert repr(stop().step(tick)) == "Done(output=None)"


@final
@dataclass(frozen=True, slots=True, repr=False)
class _EveryOther(Node[object, int]):
    gap: float
    label: str = "odd"
    at: int = field(default=0, kw_only=True)
    seen: int = field(default=0, kw_only=True, metadata=STATE)

    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        return self.gap, tick.recurrence, _EveryOther(self.gap, self.label, at=self.at, seen=self.seen + 1)


@final
@dataclass(frozen=True, slots=True, repr=False)
class _Doubled(Node[object, int]):
    of: Node[object, int]

    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        delay, output, rest = self.of.decide(tick)
        return None if delay is None else delay * 2, output, _Doubled(rest)


class _Plain(Node[object, int]):
    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        return 0.0, 0, self


def test_a_node_of_ones_own_prints_after_its_constructor() -> None:
    assert repr(Schedule(_EveryOther(2.0))) == "every_other(2)"
    assert repr(Schedule(_EveryOther(2.0, "even"))) == "every_other(2, 'even')"
    assert repr(Schedule(_EveryOther(2.0, at=3))) == "every_other(2, at=3)"
    assert after(Schedule(_EveryOther(2.0)), (None, 0.0)) == "every_other(2)<seen=1>"
    assert repr(Schedule(_Doubled((spaced(1) & spaced(2)).keep_left(recurs(1)).node))) == (
        "(spaced(1) & spaced(2)).keep_left(recurs(1)).doubled()"
    )
    assert (
        repr(Schedule(_Doubled((spaced(1) | spaced(2)).map(round).node)))
        == "(spaced(1) | spaced(2)).map(round).doubled()"
    )


def test_a_node_that_is_no_dataclass_prints_as_an_object() -> None:
    plain = Schedule(_Plain())
    assert "_Plain object at" in repr(plain.capped(3))
    assert repr(plain.capped(3)).endswith(">.capped(3)")


def test_a_class_of_ones_own_may_be_named_like_an_operator() -> None:
    class _Or(Node[object, int]):
        def decide(self, tick: Tick[object]) -> Decision[object, int]:
            return 0.0, 0, self

    text = repr(Schedule(_Or()).capped(3))
    assert text.startswith("(<")
    assert text.endswith(">).capped(3)")


def test_an_argument_after_one_left_out_is_named() -> None:
    @dataclass(frozen=True, slots=True, repr=False)
    class _Two(Node[object, int]):
        first: int = 1
        second: int = 2

        def decide(self, tick: Tick[object]) -> Decision[object, int]:
            return 0.0, 0, self

    assert repr(_Two(1, 3)) == "two(second=3)"
    assert repr(_Two(5, 3)) == "two(5, 3)"
    assert repr(from_delays(1).node) == "from_delays(1)"
