"""The methods of a schedule that keep its types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Self

from effectloop.core.delays import _AtLeast, _Capped, _Held, _Jittered, _JitteredBetween, _ModifyDelay
from effectloop.core.duration import Duration, seconds
from effectloop.core.filters import _UntilOutput, _UpTo, _WhileOutput, _Within
from effectloop.core.gate import count, finite, fraction, function
from effectloop.core.node import In, Node, Out
from effectloop.core.phases import _ResetAfter, _ResetWhen


@dataclass(frozen=True, slots=True, repr=False)
class Refine(Generic[In, Out]):
    """What `Schedule` is built on: one node, and the methods that keep both of its types."""

    node: Node[In, Out]

    def capped(self, limit: Duration) -> Self:
        """Wait at most *limit*.

        The delay is ``min(delay, limit)``. Whoever is outermost has the last word: ``jittered().capped(x)``
        never waits longer than *x*, while ``capped(x).jittered()`` may, and keeps spreading where the delays
        have stopped growing.

        Args:
            limit: The longest delay, in seconds or as a timedelta; at least 0.
        Outputs:
            Those of this schedule: an `exponential` still answers its own delay.
        Raises:
            TypeError: *limit* is no duration.
            ValueError: *limit* is negative, NaN, or above `MAX_DELAY`.
        Laws:
            ``a.capped(x).capped(y) ≈ a.capped(min(x, y))``
        Source:
            ``modifyDelay`` of Effect with a minimum; ``capDelay`` of Haskell retry.
        Example:
            >>> from effectloop import delays, exponential
            >>> delays(exponential(1).capped(5), 5)
            [1.0, 2.0, 4.0, 5.0, 5.0]
        """
        return type(self)(_Capped(self.node, seconds(limit, "capped: limit")))

    def at_least(self, floor: Duration) -> Self:
        """Wait at least *floor*.

        The delay is ``max(delay, floor)``.

        Args:
            floor: The shortest delay, in seconds or as a timedelta; at least 0.
        Outputs:
            Those of this schedule.
        Raises:
            TypeError: *floor* is no duration.
            ValueError: *floor* is negative, NaN, or above `MAX_DELAY`.
        Laws:
            ``a.at_least(x).at_least(y) ≈ a.at_least(max(x, y))``
        Source:
            ``modifyDelay`` of Effect with a maximum.
        Example:
            >>> from effectloop import delays, exponential
            >>> delays(exponential(1).at_least(3), 4)
            [3.0, 3.0, 4.0, 8.0]
        """
        return type(self)(_AtLeast(self.node, seconds(floor, "at_least: floor")))

    def modify_delay(self, f: Callable[[Out, float], Duration]) -> Self:
        """Wait what *f* makes of the output and the delay.

        Args:
            f: Answers the new delay, in seconds or as a timedelta, from the output and the delay in seconds.
                It is not asked at Done. An answer above `MAX_DELAY` is `MAX_DELAY`; a negative, NaN or
                infinite one is an error.
        Outputs:
            Those of this schedule.
        Raises:
            TypeError: *f* is not a plain function; at a step, it answers no duration.
            ValueError: At a step, *f* answers a bad delay.
        Source:
            ``modifyDelay`` of Effect; same.
        Example:
            >>> from effectloop import delays, spaced
            >>> delays(spaced(10).modify_delay(lambda recurrence, delay: delay + recurrence), 3)
            [10.0, 11.0, 12.0]
        """
        return type(self)(_ModifyDelay(self.node, function(f, "modify_delay: f")))

    def jittered(self, ratio: float = 0.2) -> Self:
        """Spread each delay evenly around itself.

        The delay is ``delay * (1 + ratio * (2 * draw - 1))``, at most `MAX_DELAY`; by default 80 % to 120 %
        of it. Two jitters in one schedule read the same draw and move together.

        Args:
            ratio: How far to either side, a number from 0 to 1.
        Outputs:
            Those of this schedule.
        Raises:
            TypeError: *ratio* is no number.
            ValueError: *ratio* is negative, NaN, or above 1.
        Source:
            ``jittered`` of Effect; same by default.
        Example:
            >>> from effectloop import delays, spaced
            >>> delays(spaced(100).jittered(0.5), 3, draws=[0.0, 0.5, 0.75])
            [50.0, 100.0, 125.0]
        """
        return type(self)(_Jittered(self.node, fraction(ratio, "jittered: ratio")))

    def jittered_between(self, low: float, high: float) -> Self:
        """Spread each delay evenly between *low* times and *high* times itself.

        The delay is ``delay * (low + (high - low) * draw)``, at most `MAX_DELAY`. Full jitter is ``(0, 1)``,
        equal jitter ``(0.5, 1)``.

        Args:
            low: The least part of the delay, a finite number of at least 0.
            high: The greatest part of the delay, a finite number of at least *low*.
        Outputs:
            Those of this schedule.
        Raises:
            TypeError: *low* or *high* is no number.
            ValueError: *low* or *high* is negative, NaN, or infinite; *high* is less than *low*.
        Laws:
            ``a.jittered(r) ≈ a.jittered_between(1 - r, 1 + r)``, up to rounding
        Source:
            ``jitteredWith`` of Effect; full and equal jitter are AWS's terms, 2015.
        Example:
            >>> from effectloop import delays, spaced
            >>> delays(spaced(8).jittered_between(0.5, 1), 3, draws=[0.0, 0.5, 0.75])
            [4.0, 6.0, 7.0]
        """
        least, most = finite(low, "jittered_between: low"), finite(high, "jittered_between: high")
        if least > most:
            msg = f"jittered_between: high must be a number of at least low ({low!r}), got {high!r}"
            raise ValueError(msg)
        return type(self)(_JitteredBetween(self.node, least, most))

    def held(self) -> Self:
        """Go on for ever at the last delay once this schedule is done.

        A schedule that is done at its first decision has no last delay and stays done.

        Outputs:
            Those of this schedule; once it is done, the output of its Done.
        Source:
            Ours: for a back-off that has been used up.
        Example:
            >>> from effectloop import delays, from_delays
            >>> delays(from_delays(1, 5).held(), 4)
            [1.0, 5.0, 5.0, 5.0]
        """
        return type(self)(_Held(self.node))

    def up_to(self, *, times: int | None = None, elapsed: Duration | None = None) -> Self:
        """Go on for at most so many recurrences, or for so long, or both.

        Goes on while ``recurrence < times`` and ``elapsed < limit``; a limit that is None does not exist.

        Args:
            times: The number of recurrences, at least 0.
            elapsed: The time from the start of the first run, in seconds or as a timedelta; at least 0.
        Outputs:
            Those of this schedule, at Done too.
        Raises:
            TypeError: Neither is given; *times* is not a whole number; *elapsed* is no duration.
            ValueError: *times* is negative; *elapsed* is negative, NaN, or above `MAX_DELAY`.
        Laws:
            ``a.up_to(times=n) ≈ a & recurs(n)`` and ``a.up_to(elapsed=d) ≈ a & during(d)``
        Source:
            ``upTo`` of Effect: limits as in Effect 3 (done at exactly the limit), parameters as in Effect 4.
        Example:
            >>> from effectloop import delays, exponential
            >>> delays(exponential(1).up_to(times=10, elapsed=7), 20)
            [1.0, 2.0, 4.0]
        """
        if times is None and elapsed is None:
            msg = "up_to: times or elapsed must be given, got neither"
            raise TypeError(msg)
        most = None if times is None else count(times, "up_to: times")
        limit = None if elapsed is None else seconds(elapsed, "up_to: elapsed")
        return type(self)(_UpTo(self.node, times=most, elapsed=limit))

    def within(self, limit: Duration) -> Self:
        """Stop rather than wait past *limit*.

        Done when ``delay > limit - elapsed``, so that the next run starts at *limit* at the latest.

        Args:
            limit: The latest start, from the start of the first run, in seconds or as a timedelta; at least
                0.
        Outputs:
            Those of this schedule, at Done too.
        Raises:
            TypeError: *limit* is no duration.
            ValueError: *limit* is negative, NaN, or above `MAX_DELAY`.
        Source:
            Ours: `up_to` bounds when a wait begins, this bounds when it ends.
        Example:
            >>> from effectloop import delays, exponential
            >>> delays(exponential(1).within(10), 20)
            [1.0, 2.0, 4.0]
        """
        return type(self)(_Within(self.node, seconds(limit, "within: limit")))

    def while_output(self, p: Callable[[Out], bool]) -> Self:
        """Go on while *p* holds for the output.

        This schedule decides first; where it is done, *p* is not asked.

        Args:
            p: Tells from the output whether to go on.
        Outputs:
            Those of this schedule, at Done too.
        Raises:
            TypeError: *p* is not a plain function.
        Laws:
            ``a.while_output(p) ≈ a.until_output(lambda output: not p(output))``
        Source:
            ``whileOutput`` of Effect; same.
        Example:
            >>> from effectloop import delays, exponential
            >>> delays(exponential(1).while_output(lambda delay: delay < 8), 20)
            [1.0, 2.0, 4.0]
        """
        return type(self)(_WhileOutput(self.node, function(p, "while_output: p")))

    def until_output(self, p: Callable[[Out], bool]) -> Self:
        """Go on until *p* holds for the output.

        This schedule decides first; where it is done, *p* is not asked.

        Args:
            p: Tells from the output whether to stop.
        Outputs:
            Those of this schedule, at Done too.
        Raises:
            TypeError: *p* is not a plain function.
        Laws:
            ``a.until_output(p) ≈ a.while_output(lambda output: not p(output))``
        Source:
            ``untilOutput`` of Effect; same.
        Example:
            >>> from effectloop import delays, exponential
            >>> delays(exponential(1).until_output(lambda delay: delay > 4), 20)
            [1.0, 2.0, 4.0]
        """
        return type(self)(_UntilOutput(self.node, function(p, "until_output: p")))

    def reset_after(self, limit: Duration) -> Self:
        """Begin afresh whenever this schedule has run for *limit*.

        At a decision at which at least *limit* has passed since the phase began, a new phase begins:
        recurrence and elapsed time are counted from there, and the fresh schedule decides on this very tick.
        The first phase begins with the run. It is not about a time without events: a busy schedule is reset
        just as well.

        Args:
            limit: The length of a phase, in seconds or as a timedelta; at least 0, where every tick begins
                afresh.
        Outputs:
            Those of this schedule.
        Raises:
            TypeError: *limit* is no duration.
            ValueError: *limit* is negative, NaN, or above `MAX_DELAY`.
        Source:
            ``resetAfter`` of Effect 3; same.
        Example:
            >>> from effectloop import delays, exponential
            >>> delays(exponential(1).reset_after(5), 6)
            [1.0, 2.0, 4.0, 1.0, 2.0, 4.0]
        """
        return type(self)(_ResetAfter(self.node, seconds(limit, "reset_after: limit")))

    def reset_when(self, p: Callable[[Out], bool]) -> Self:
        """Begin afresh whenever *p* holds for the output, also for that of a Done.

        The fresh schedule decides on this very tick, and its answer counts even when *p* holds for it too.

        Args:
            p: Tells from the output whether to begin afresh.
        Outputs:
            Those of this schedule.
        Raises:
            TypeError: *p* is not a plain function.
        Source:
            ``resetWhen`` of Effect 3; same.
        Example:
            >>> from effectloop import delays, exponential
            >>> delays(exponential(1).reset_when(lambda delay: delay > 4), 5)
            [1.0, 2.0, 4.0, 1.0, 2.0]
        """
        return type(self)(_ResetWhen(self.node, function(p, "reset_when: p")))
