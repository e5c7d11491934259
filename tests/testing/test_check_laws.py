"""`check_laws`: good schedules pass, and each kind of bad one is caught and told."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from itertools import count

import pytest
from hypothesis import strategies as st
from typing_extensions import override

from effectloop import (
    Decision,
    Node,
    Schedule,
    Tick,
    background_pacing,
    decorrelated,
    exponential,
    fixed,
    recurs,
)
from effectloop.core.node import STATE
from effectloop.testing import check_laws

NUMBERS = count()


@dataclass(frozen=True, slots=True, repr=False)
class _EveryOther(Node[int, int]):
    """A user's own: recurs at every other tick's pace, and counts what it heard."""

    gap: float
    heard: int = field(default=0, kw_only=True, metadata=STATE)

    @override
    def decide(self, tick: Tick[int]) -> Decision[int, int]:
        if tick.input > 7:
            return None, self.heard, self
        return self.gap * (tick.recurrence % 2), self.heard, _EveryOther(self.gap, heard=self.heard + 1)


@dataclass(frozen=True, slots=True, repr=False)
class _Negative(Node[object, None]):
    @override
    def decide(self, tick: Tick[object]) -> Decision[object, None]:
        return -1.0, None, self


@dataclass(frozen=True, slots=True, repr=False)
class _NotANumber(Node[object, None]):
    @override
    def decide(self, tick: Tick[object]) -> Decision[object, None]:
        return float("nan"), None, self


@dataclass(frozen=True, slots=True, repr=False)
class _Impure(Node[object, int]):
    @override
    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        return 0.0, next(NUMBERS), self


@dataclass
class _Mutable(Node[object, int]):
    steps: int = 0

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        self.steps += 1
        return 0.0, 0, self


@dataclass(frozen=True, slots=True, repr=False)
class _Growing(Node[object, int]):
    gap: float = 1.0

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        return self.gap, 0, _Growing(self.gap * 2)


@dataclass(frozen=True, slots=True, repr=False)
class _Restless(Node[object, int]):
    ends: int = field(default=0, kw_only=True, metadata=STATE)

    @override
    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        return None, 0, _Restless(ends=self.ends + 1)


class _Opaque(Node[object, int]):
    @override
    def decide(self, tick: Tick[object]) -> Decision[object, int]:
        return 0.0, 0, self


@pytest.mark.parametrize(
    "schedule",
    [
        exponential(0.1).capped(30).jittered(0.1) & recurs(10),
        fixed(3).and_then(decorrelated(1, 9)),
        Schedule(_EveryOther(2.0)).map_input(lambda _: 3),
    ],
)
def test_a_good_schedule_passes(schedule: Schedule[None, object]) -> None:
    check_laws(schedule)


def test_a_schedule_that_reads_its_input_is_given_inputs() -> None:
    check_laws(Schedule(_EveryOther(2.0)), st.integers(0, 9))


@pytest.mark.parametrize(
    ("node", "says"),
    [
        (_Negative(), r"a delay must be at least 0 s, got -1\.0: negative\(\) at Tick\("),
        (_NotANumber(), r"a delay must be finite, got nan"),
        (_Impure(), r"the same tick must get the same answer, got \(0\.0, \d+"),
        (_Mutable(), r"a step must change nothing in place"),
        (_Growing(), r"the rest must have the shape of the schedule, got growing\(2"),
        (_Restless(), r"a schedule that is done must answer itself as the rest, got restless\(\)<ends=1>"),
        (_Opaque(), r"a node must be compared by its fields, as a dataclass is"),
    ],
)
def test_each_broken_law_is_told_with_the_tick(node: Node[object, object], says: str) -> None:
    with pytest.raises(AssertionError, match=says):
        check_laws(Schedule(node))


def test_the_shipped_policies_obey_the_laws() -> None:
    from returns.result import Failure, Success

    from effectloop import Outcome, Progress

    outcomes = st.sampled_from(
        [
            Outcome[object](Success(Progress(has_more=True)), 1.0),
            Outcome[object](Success(Progress(has_more=False, due_in=2)), 0.0),
            Outcome[object](Failure("down"), 0.0),
        ]
    )
    check_laws(background_pacing(3), outcomes)


def test_the_virtual_clock_needs_no_hypothesis_and_the_others_name_the_extra() -> None:
    script = """
import sys
sys.modules["hypothesis"] = None
from effectloop.testing import VirtualClock
assert "hypothesis.strategies" not in sys.modules
try:
    from effectloop.testing import schedules
except ImportError as error:
    print(error)
import effectloop.testing
print(hasattr(effectloop.testing, "nothing"))
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [
        "effectloop.testing.schedules needs the extra 'testing' (pip install 'effectloop[testing]')",
        "False",
    ]
