"""`Schedule`, what its step answers, and the methods that may change its types.

Every method that can narrow the input has two overloads: without the first, type checkers would fix the input
of a schedule that reads none to `object`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar, final, get_origin, overload

from returns.result import Result
from typing_extensions import override

from effectloop.core.delays import _DelayFrom
from effectloop.core.duration import Duration, seconds
from effectloop.core.filters import _Check, _UntilInput, _WhileInput
from effectloop.core.gate import function
from effectloop.core.node import A, B, In, Node, Out, Tick
from effectloop.core.outputs import _Fold, _Map, _MapInput, _Passthrough
from effectloop.core.pairs import (
    _And,
    _BothInOut,
    _Compose,
    _IntersectWith,
    _KeepLeft,
    _KeepRight,
    _Or,
    _UnionWith,
)
from effectloop.core.phases import _AndThen, _AndThenTagged, _ResetOnInput
from effectloop.core.refine import Refine
from effectloop.core.sides import _ResetOnSuccess
from effectloop.core.sources import _Forever

C = TypeVar("C")
E = TypeVar("E")
J = TypeVar("J")
X = TypeVar("X")
Y = TypeVar("Y")
Z = TypeVar("Z")


@final
@dataclass(frozen=True, slots=True)
class Continue(Generic[In, Out]):
    """One more recurrence.

    Attributes:
        delay: Seconds to wait before the next run.
        output: What the schedule answers.
        rest: The schedule that decides after that run.
    """

    delay: float
    output: Out
    rest: Schedule[In, Out]


@final
@dataclass(frozen=True, slots=True)
class Done(Generic[Out]):
    """No further recurrence.

    Attributes:
        output: What the schedule answers at its end.
    """

    output: Out


@final
@dataclass(frozen=True, slots=True, repr=False)
class Schedule(Refine[In, Out]):
    """A value that says whether to go on, after which delay, and with what output.

    A schedule holds no clock, no randomness and no hidden state: its step reads a `Tick` and answers the
    rest, which is again a schedule. ``==`` compares the trees; ``repr`` prints the expression that builds
    one.

    Args:
        node: What it is made of. Wrap a `Node` of your own in a function that bears its name.
    Raises:
        TypeError: *node* is no `Node`.
    Example:
        >>> from effectloop import Schedule, Tick, exponential, recurs
        >>> schedule = exponential(0.1).capped(30) & recurs(10)
        >>> schedule.step(Tick(None, recurrence=2, elapsed=0.3, wall=0.0, draw=0.5))
        Continue(delay=0.4, output=0.4, rest=exponential(0.1).capped(30) & recurs(10))
    """

    def __post_init__(self) -> None:
        given: object = self.node
        if not isinstance(given, Node):
            msg = f"Schedule: node must be a Node, got {given!r}"
            raise TypeError(msg)

    @override
    def __repr__(self) -> str:
        return repr(self.node)

    def step(self, tick: Tick[In]) -> Continue[In, Out] | Done[Out]:
        """Decide on *tick*: `Continue` or `Done`.

        The same tick always gets the same answer.

        Args:
            tick: All that this decision may know of the world.
        Example:
            >>> from effectloop import Continue, Done, Tick, once
            >>> match once().step(Tick("input", recurrence=1, elapsed=0.0, wall=0.0, draw=0.5)):
            ...     case Continue(delay, output, rest):
            ...         print("again after", delay)
            ...     case Done(output):
            ...         print("done with", output)
            done with 1
        """
        delay, output, rest = self.node.decide(tick)
        if delay is None:
            return Done(output)
        return Continue(delay, output, self if rest is self.node else Schedule(rest))

    # --- two schedules

    @overload
    def __and__(self: Schedule[object, object], other: Schedule[J, object]) -> Schedule[J, float]: ...
    @overload
    def __and__(self: Schedule[J, object], other: Schedule[J, object]) -> Schedule[J, float]: ...
    def __and__(self: Schedule[J, object], other: Schedule[J, object]) -> Schedule[J, float]:
        """Recur while both do, after the longer delay.

        Outputs:
            The delay chosen, in seconds; at Done 0.0. To keep outputs: `intersect_with`, `keep_left`,
            `keep_right`.
        Laws:
            Associative, commutative and idempotent; distributes over ``|``; ``a & (a | b) ≈ a``; the identity
            is ``forever()``, and ``a & stop() ≈ stop()``.
        Source:
            ``intersect`` of Effect 3, ``max`` of Effect 4; output as in 4.
        Example:
            >>> from effectloop import delays, exponential, recurs, spaced
            >>> delays(exponential(1) & spaced(3) & recurs(4), 10)
            [3.0, 3.0, 4.0, 8.0]
        """
        return Schedule(_And(self.node, other.node)) if _is_schedule(other) else NotImplemented

    @overload
    def __or__(self: Schedule[object, object], other: Schedule[J, object]) -> Schedule[J, float]: ...
    @overload
    def __or__(self: Schedule[J, object], other: Schedule[J, object]) -> Schedule[J, float]: ...
    def __or__(self: Schedule[J, object], other: Schedule[J, object]) -> Schedule[J, float]:
        """Recur while either does, after the shorter delay.

        A side that is done stays done: it is not asked again.

        Outputs:
            The delay chosen, in seconds; at Done 0.0. To keep outputs: `union_with`.
        Laws:
            Associative, commutative and idempotent; distributes over ``&``; ``a | (a & b) ≈ a``; the identity
            is ``stop()``, and ``a | forever() ≈ forever()``.
        Source:
            ``union`` of Effect 3, ``min`` of Effect 4; output as in 4. There a done side is asked again.
        Example:
            >>> from effectloop import delays, exponential, spaced
            >>> delays(exponential(1) | spaced(3), 4)
            [1.0, 2.0, 3.0, 3.0]
        """
        return Schedule(_Or(self.node, other.node)) if _is_schedule(other) else NotImplemented

    @overload
    def intersect_with(
        self: Schedule[object, A], other: Schedule[J, B], f: Callable[[A, B], C]
    ) -> Schedule[J, C]: ...
    @overload
    def intersect_with(
        self: Schedule[J, A], other: Schedule[J, B], f: Callable[[A, B], C]
    ) -> Schedule[J, C]: ...
    def intersect_with(self: Schedule[J, A], other: Schedule[J, B], f: Callable[[A, B], C]) -> Schedule[J, C]:
        """Recur while both do, after the longer delay, and combine the outputs.

        Args:
            other: The other schedule.
            f: Makes one output of both, at Done too.
        Outputs:
            What *f* answers.
        Raises:
            TypeError: *other* is no schedule, or *f* not a plain function.
        Laws:
            ``a.intersect_with(b, f) ≈ a & b``
        Source:
            ``intersect`` and ``zipWith`` of Effect 3, with *f* over its pair.
        Example:
            >>> from effectloop import exponential, recurs, trace
            >>> both = exponential(1).intersect_with(recurs(1), lambda delay, recurrence: (delay, recurrence))
            >>> [step.output for step in trace(both, [None] * 9)]
            [(1.0, 0), (2.0, 1)]
        """
        right = node_of(other, "intersect_with: other")
        return Schedule(_IntersectWith(self.node, right, function(f, "intersect_with: f")))

    @overload
    def union_with(
        self: Schedule[object, A], other: Schedule[J, B], f: Callable[[A, B], C]
    ) -> Schedule[J, C]: ...
    @overload
    def union_with(self: Schedule[J, A], other: Schedule[J, B], f: Callable[[A, B], C]) -> Schedule[J, C]: ...
    def union_with(self: Schedule[J, A], other: Schedule[J, B], f: Callable[[A, B], C]) -> Schedule[J, C]:
        """Recur while either does, after the shorter delay, and combine the outputs.

        Args:
            other: The other schedule.
            f: Makes one output of both, at Done too. A side that is done keeps the output of its Done.
        Outputs:
            What *f* answers.
        Raises:
            TypeError: *other* is no schedule, or *f* not a plain function.
        Laws:
            ``a.union_with(b, f) ≈ a | b``
        Source:
            ``union`` of Effect 3, with *f* over its pair.
        Example:
            >>> from effectloop import recurs, trace
            >>> either = recurs(1).union_with(recurs(2), lambda left, right: (left, right))
            >>> [step.output for step in trace(either, [None] * 9)]
            [(0, 0), (1, 1), (1, 2)]
        """
        right = node_of(other, "union_with: other")
        return Schedule(_UnionWith(self.node, right, function(f, "union_with: f")))

    @overload
    def keep_left(self: Schedule[object, A], other: Schedule[J, object]) -> Schedule[J, A]: ...
    @overload
    def keep_left(self: Schedule[J, A], other: Schedule[J, object]) -> Schedule[J, A]: ...
    def keep_left(self: Schedule[J, A], other: Schedule[J, object]) -> Schedule[J, A]:
        """Recur while both do, after the longer delay, and answer this schedule's output.

        Args:
            other: The other schedule.
        Outputs:
            Those of this schedule, at Done too.
        Raises:
            TypeError: *other* is no schedule.
        Laws:
            ``a.keep_left(b) ≈ a & b``; associative
        Source:
            ``zipLeft`` of Effect 3; same.
        Example:
            >>> from effectloop import exponential, recurs, trace
            >>> [step.output for step in trace(exponential(1).keep_left(recurs(2)), [None] * 9)]
            [1.0, 2.0, 4.0]
        """
        return Schedule(_KeepLeft(self.node, node_of(other, "keep_left: other")))

    @overload
    def keep_right(self: Schedule[object, object], other: Schedule[J, B]) -> Schedule[J, B]: ...
    @overload
    def keep_right(self: Schedule[J, object], other: Schedule[J, B]) -> Schedule[J, B]: ...
    def keep_right(self: Schedule[J, object], other: Schedule[J, B]) -> Schedule[J, B]:
        """Recur while both do, after the longer delay, and answer the other schedule's output.

        Args:
            other: The other schedule.
        Outputs:
            Those of *other*, at Done too.
        Raises:
            TypeError: *other* is no schedule.
        Laws:
            ``a.keep_right(b) ≈ a & b``; associative
        Source:
            ``zipRight`` of Effect 3; same.
        Example:
            >>> from effectloop import exponential, recurs, trace
            >>> [step.output for step in trace(exponential(1).keep_right(recurs(2)), [None] * 9)]
            [0, 1, 2]
        """
        return Schedule(_KeepRight(self.node, node_of(other, "keep_right: other")))

    @overload
    def and_then(self: Schedule[object, A], other: Schedule[J, B]) -> Schedule[J, A | B]: ...
    @overload
    def and_then(self: Schedule[J, A], other: Schedule[J, B]) -> Schedule[J, A | B]: ...
    def and_then(self: Schedule[J, A], other: Schedule[J, B]) -> Schedule[J, A | B]:
        """Follow this schedule until it is done, then *other*.

        At the very tick at which this schedule is done the other one decides: no tick is added. Its
        recurrence and its elapsed time are counted from that tick. Done when *other* is.

        Args:
            other: What follows.
        Outputs:
            Those of this schedule, without that of its Done; then those of *other*.
        Raises:
            TypeError: *other* is no schedule.
        Laws:
            Associative; ``a.and_then(stop()) ≈ a``, and ``stop().and_then(a) ≈ a`` where *a* reads no clock.
        Source:
            ``andThen`` of Effect 3, ``concat`` of Effect 4; same.
        Example:
            >>> from effectloop import delays, exponential, recurs, spaced
            >>> delays((spaced(1) & recurs(2)).and_then(exponential(10)), 5)
            [1.0, 1.0, 10.0, 20.0, 40.0]
        """
        return Schedule(_AndThen(self.node, node_of(other, "and_then: other")))

    @overload
    def and_then_tagged(self: Schedule[object, A], other: Schedule[J, B]) -> Schedule[J, Result[B, A]]: ...
    @overload
    def and_then_tagged(self: Schedule[J, A], other: Schedule[J, B]) -> Schedule[J, Result[B, A]]: ...
    def and_then_tagged(self: Schedule[J, A], other: Schedule[J, B]) -> Schedule[J, Result[B, A]]:
        """Follow this schedule until it is done, then *other*, and tell in the output which it was.

        Args:
            other: What follows.
        Outputs:
            ``Failure(output)`` of this schedule, then ``Success(output)`` of *other*.
        Raises:
            TypeError: *other* is no schedule.
        Laws:
            ``a.and_then_tagged(b) ≈ a.and_then(b)``
        Source:
            ``andThenEither`` of Effect 3, ``concatResult`` of Effect 4; same.
        Example:
            >>> from effectloop import once, recurs, trace
            >>> [step.output for step in trace(once().and_then_tagged(recurs(1)), [None] * 9)]
            [<Failure: 0>, <Success: 0>, <Success: 1>]
        """
        return Schedule(_AndThenTagged(self.node, node_of(other, "and_then_tagged: other")))

    def compose(self, other: Schedule[Out, B]) -> Schedule[In, B]:
        """Let *other* read the outputs of this schedule.

        Recurs while both do, after the longer delay.

        Args:
            other: Its input is this schedule's output, at Done too.
        Outputs:
            Those of *other*.
        Raises:
            TypeError: *other* is no schedule.
        Laws:
            Associative.
        Source:
            ``compose`` of Effect 3; same.
        Example:
            >>> from effectloop import delays, exponential, recur_while
            >>> delays(exponential(1).compose(recur_while(lambda delay: delay < 5)), 9)
            [1.0, 2.0, 4.0]
        """
        return Schedule(_Compose(self.node, node_of(other, "compose: other")))

    def both_in_out(self, other: Schedule[J, B]) -> Schedule[tuple[In, J], tuple[Out, B]]:
        """Run two schedules on the two halves of a pair.

        Recurs while both do, after the shorter delay.

        Args:
            other: Reads the second half of the input; this schedule reads the first.
        Outputs:
            The pair of both outputs.
        Raises:
            TypeError: *other* is no schedule.
        Source:
            ``bothInOut`` of Effect 3; same.
        Example:
            >>> from effectloop import recurs, spaced, trace
            >>> trace(spaced(5).both_in_out(recurs(1)), [("a", 1), ("b", 2)])
            [Step(elapsed=0.0, delay=0.0, output=(0, 0)), Step(elapsed=0.0, delay=None, output=(1, 1))]
        """
        return Schedule(_BothInOut(self.node, node_of(other, "both_in_out: other")))

    # --- delays and stopping, by what just happened

    @overload
    def delay_from(self: Schedule[object, A], f: Callable[[Tick[J], float], Duration]) -> Schedule[J, A]: ...
    @overload
    def delay_from(self: Schedule[J, A], f: Callable[[Tick[J], float], Duration]) -> Schedule[J, A]: ...
    def delay_from(self: Schedule[J, A], f: Callable[[Tick[J], float], Duration]) -> Schedule[J, A]:
        """Wait what *f* makes of the tick and the delay: a Retry-After header, a due time.

        Args:
            f: Answers the new delay, in seconds or as a timedelta, from the tick and the delay in seconds. It
                is not asked at Done. An answer above `MAX_DELAY` is `MAX_DELAY`; a negative, NaN or infinite
                one is an error.
        Outputs:
            Those of this schedule.
        Raises:
            TypeError: *f* is not a plain function; at a step, it answers no duration.
            ValueError: At a step, *f* answers a bad delay.
        Source:
            ``modifyDelay`` of Effect 4, where *f* reads the metadata of the step.
        Example:
            >>> from effectloop import Tick, exponential, trace
            >>> def asked(tick: Tick[int], delay: float) -> float:
            ...     return max(delay, tick.input)
            >>> [step.delay for step in trace(exponential(1).delay_from(asked), [0, 30, 0])]
            [1.0, 30.0, 4.0]
        """
        return Schedule(_DelayFrom(self.node, function(f, "delay_from: f")))

    @overload
    def while_input(self: Schedule[object, A], p: Callable[[J], bool]) -> Schedule[J, A]: ...
    @overload
    def while_input(self: Schedule[J, A], p: Callable[[J], bool]) -> Schedule[J, A]: ...
    def while_input(self: Schedule[J, A], p: Callable[[J], bool]) -> Schedule[J, A]:
        """Go on while *p* holds for the input.

        This schedule decides first; where it is done, *p* is not asked.

        Args:
            p: Tells from the input whether to go on.
        Outputs:
            Those of this schedule, at Done too.
        Raises:
            TypeError: *p* is not a plain function.
        Laws:
            ``a.while_input(p) ≈ a.until_input(lambda given: not p(given))``
        Source:
            ``whileInput`` of Effect; same.
        Example:
            >>> from effectloop import exponential, trace
            >>> patient = exponential(1).accepts(OSError).while_input(lambda error: error.errno != 13)
            >>> [step.delay for step in trace(patient, [OSError(11, "busy"), OSError(13, "denied")])]
            [1.0, None]
        """
        return Schedule(_WhileInput(self.node, function(p, "while_input: p")))

    @overload
    def until_input(self: Schedule[object, A], p: Callable[[J], bool]) -> Schedule[J, A]: ...
    @overload
    def until_input(self: Schedule[J, A], p: Callable[[J], bool]) -> Schedule[J, A]: ...
    def until_input(self: Schedule[J, A], p: Callable[[J], bool]) -> Schedule[J, A]:
        """Go on until *p* holds for the input.

        This schedule decides first; where it is done, *p* is not asked.

        Args:
            p: Tells from the input whether to stop.
        Outputs:
            Those of this schedule, at Done too.
        Raises:
            TypeError: *p* is not a plain function.
        Laws:
            ``a.until_input(p) ≈ a.while_input(lambda given: not p(given))``
        Source:
            ``untilInput`` of Effect; same.
        Example:
            >>> from effectloop import exponential, trace
            >>> patient = exponential(1).accepts(OSError).until_input(lambda error: error.errno == 13)
            >>> [step.delay for step in trace(patient, [OSError(11, "busy"), OSError(13, "denied")])]
            [1.0, None]
        """
        return Schedule(_UntilInput(self.node, function(p, "until_input: p")))

    @overload
    def check(self: Schedule[object, A], p: Callable[[J, A], bool]) -> Schedule[J, A]: ...
    @overload
    def check(self: Schedule[J, A], p: Callable[[J, A], bool]) -> Schedule[J, A]: ...
    def check(self: Schedule[J, A], p: Callable[[J, A], bool]) -> Schedule[J, A]:
        """Go on while *p* holds for the input and the output.

        This schedule decides first; where it is done, *p* is not asked.

        Args:
            p: Tells from the input and the output whether to go on.
        Outputs:
            Those of this schedule, at Done too.
        Raises:
            TypeError: *p* is not a plain function.
        Source:
            ``check`` of Effect 3; same.
        Example:
            >>> from effectloop import forever, trace
            >>> def below(most: int, recurrence: int) -> bool:
            ...     return recurrence < most
            >>> [step.delay for step in trace(forever().check(below), [2, 2, 2])]
            [0.0, 0.0, None]
        """
        return Schedule(_Check(self.node, function(p, "check: p")))

    # --- starting over

    @overload
    def reset_on_input(self: Schedule[object, A], p: Callable[[J], bool]) -> Schedule[J, A]: ...
    @overload
    def reset_on_input(self: Schedule[J, A], p: Callable[[J], bool]) -> Schedule[J, A]: ...
    def reset_on_input(self: Schedule[J, A], p: Callable[[J], bool]) -> Schedule[J, A]:
        """Begin afresh whenever *p* holds for the input.

        A new phase begins: recurrence and elapsed time are counted from there, and the fresh schedule decides
        on this very tick, also where the old one would be done.

        Args:
            p: Tells from the input whether to begin afresh.
        Outputs:
            Those of this schedule.
        Raises:
            TypeError: *p* is not a plain function.
        Source:
            ``resetWhen`` of Effect 3, on the input.
        Example:
            >>> from effectloop import exponential, trace
            >>> def moved(position: int) -> bool:
            ...     return position > 0
            >>> [step.delay for step in trace(exponential(1).reset_on_input(moved), [0, 0, 7, 0])]
            [1.0, 2.0, 1.0, 2.0]
        """
        return Schedule(_ResetOnInput(self.node, function(p, "reset_on_input: p")))

    @overload
    def reset_on_success(
        self: Schedule[E, X], on_success: None = None, *, stable_for: Duration = 0
    ) -> Schedule[Result[object, E], X | int]: ...
    @overload
    def reset_on_success(
        self: Schedule[E, X], on_success: Schedule[B, Y], *, stable_for: Duration = 0
    ) -> Schedule[Result[B, E], X | Y]: ...
    def reset_on_success(
        self: Schedule[E, X], on_success: Schedule[B, Y] | None = None, *, stable_for: Duration = 0
    ) -> Schedule[Result[B, E], X | Y | int]:
        """Let a Failure step this schedule and a Success start it over.

        A Success steps *on_success*, which begins afresh after every Failure. The next Failure then begins
        this schedule afresh if at least *stable_for* has passed since the first Success after the last
        Failure; otherwise it goes on where the last one was, so that a flapping dependency keeps its long
        back-off. Each side counts its own ticks. A side that is done ends the whole.

        Args:
            on_success: Hears the value of every Success; without it a Success goes on at once.
            stable_for: How long things must go well before a Failure begins afresh, in seconds or as a
                timedelta.
        Outputs:
            That of the side that decides.
        Raises:
            TypeError: *on_success* is no schedule, or *stable_for* no duration; at a step, the input is no
                Result.
            ValueError: *stable_for* is negative, NaN, or above `MAX_DELAY`.
        Source:
            Ours: the reset that loops write by hand around a back-off.
        Example:
            >>> from returns.result import Failure, Success
            >>> from effectloop import exponential, spaced, trace
            >>> loop = exponential(1).reset_on_success(spaced(10))
            >>> [step.delay for step in trace(loop, [Failure("a"), Failure("b"), Success(0), Failure("c")])]
            [1.0, 2.0, 10.0, 1.0]
        """
        least = seconds(stable_for, "reset_on_success: stable_for")
        if on_success is None:
            return Schedule(_ResetOnSuccess(self.node, _Forever(), stable_for=least))
        side = node_of(on_success, "reset_on_success: on_success")
        return Schedule(_ResetOnSuccess(self.node, side, stable_for=least))

    # --- types and outputs

    @overload
    def accepts(self: Schedule[object, A], kind: type[J]) -> Schedule[J, A]: ...
    @overload
    def accepts(self: Schedule[J, A], kind: type[J]) -> Schedule[J, A]: ...
    def accepts(self: Schedule[J, A], kind: type[J]) -> Schedule[J, A]:
        """Tell type checkers what the input is; the schedule stays the same.

        After it a lambda knows the type of its parameter:
        ``exponential(1).accepts(OSError).while_input(lambda e: ...)``.

        Args:
            kind: The type of the input.
        Raises:
            TypeError: *kind* is no type.
        Laws:
            ``a.accepts(kind) == a``
        Source:
            ``setInputType`` of Effect 4.
        Example:
            >>> from effectloop import exponential
            >>> exponential(1).accepts(OSError).until_input(lambda error: error.errno == 13)
            exponential(1).until_input(<lambda>)
        """
        given: object = kind
        if not (isinstance(given, type) or get_origin(given)):
            msg = f"accepts: kind must be a type, got {given!r}"
            raise TypeError(msg)
        return self

    def map(self, f: Callable[[Out], B]) -> Schedule[In, B]:
        """Answer what *f* makes of each output, at Done too.

        Args:
            f: Makes the new output.
        Outputs:
            What *f* answers.
        Raises:
            TypeError: *f* is not a plain function.
        Laws:
            ``a.map(identity) ≈ a`` and ``a.map(f).map(g) ≈ a.map(lambda output: g(f(output)))``, outputs
            included
        Source:
            ``map`` of Effect; same.
        Example:
            >>> from effectloop import recurs, trace
            >>> [step.output for step in trace(recurs(2).map(lambda n: n * n), [None] * 3)]
            [0, 1, 4]
        """
        return Schedule(_Map(self.node, function(f, "map: f")))

    def map_input(self, f: Callable[[J], In]) -> Schedule[J, Out]:
        """Read what *f* makes of each input.

        Args:
            f: Makes the input of this schedule; annotate its parameter, which is then the input of the new
                one.
        Outputs:
            Those of this schedule.
        Raises:
            TypeError: *f* is not a plain function.
        Laws:
            ``a.map_input(f).map_input(g) ≈ a.map_input(lambda given: f(g(given)))``, outputs included
        Source:
            ``mapInput`` of Effect 3; same.
        Example:
            >>> from effectloop import recur_while, trace
            >>> def negative(n: int) -> bool:
            ...     return n < 0
            >>> [step.delay for step in trace(recur_while(negative).map_input(int), ["-1", "0"])]
            [0.0, None]
        """
        return Schedule(_MapInput(self.node, function(f, "map_input: f")))

    def passthrough(self: Schedule[J, object]) -> Schedule[J, J]:
        """Answer the input, at Done too.

        Outputs:
            The input.
        Laws:
            ``a.passthrough() ≈ a``
        Source:
            ``passthrough`` of Effect; same.
        Example:
            >>> from effectloop import recurs, trace
            >>> [step.output for step in trace(recurs(1).passthrough(), ["a", "b"])]
            ['a', 'b']
        """
        return Schedule(_Passthrough(self.node))

    def fold(self, zero: Z, f: Callable[[Z, Out], Z]) -> Schedule[In, Z]:
        """Answer what *f* has gathered of all outputs, the current one and that of the Done included.

        Args:
            zero: What there is before the first output.
            f: Makes the next of what was gathered and the output.
        Outputs:
            What *f* answers.
        Raises:
            TypeError: *f* is not a plain function.
        Laws:
            ``a.fold(zero, f) ≈ a``
        Source:
            ``reduce`` of Effect 3, which lags by one and leaves the output of the Done out.
        Example:
            >>> from effectloop import linear, trace
            >>> total = linear(1).fold(0.0, lambda total, delay: total + delay)
            >>> [step.output for step in trace(total, [None] * 3)]
            [1.0, 3.0, 6.0]
        """
        return Schedule(_Fold(self.node, zero, function(f, "fold: f")))


def _is_schedule(value: object) -> bool:
    return isinstance(value, Schedule)


def node_of(schedule: Schedule[J, A], of: str) -> Node[J, A]:
    """Answer the node of *schedule*, or refuse what is no schedule."""
    if _is_schedule(schedule):
        return schedule.node
    name = getattr(schedule, "__name__", "")
    hint = f"; did you mean {name}()?" if callable(schedule) and name.isidentifier() else ""
    msg = f"{of} must be a schedule, got {schedule!r}{hint}"
    raise TypeError(msg)
