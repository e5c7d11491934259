"""What an iteration may answer, and where a loop stands."""

from __future__ import annotations

from datetime import timedelta

import pytest

from effectloop import Progress, Status, forever, stop
from effectloop.loop.machine import Phase, Rules, fresh, never
from effectloop.loop.status import standing


def test_progress_takes_any_duration_for_what_falls_due() -> None:
    assert Progress(has_more=False, due_in=timedelta(minutes=1)) == Progress(has_more=False, due_in=60)
    assert Progress(has_more=True).due_in is None
    assert Progress(has_more=False, due_in=0).due_in == 0


@pytest.mark.parametrize(
    ("has_more", "due_in", "kind", "says"),
    [
        (1, None, TypeError, "Progress: has_more must be a bool, got 1"),
        (None, None, TypeError, "Progress: has_more must be a bool, got None"),
        (False, -1, ValueError, "Progress: due_in must be a duration of at least 0 s, got -1"),
        (False, True, TypeError, "Progress: due_in must be a duration"),
        (False, float("nan"), ValueError, "Progress: due_in must be a duration of at least 0 s, got nan"),
    ],
)
def test_bad_progress_is_refused(has_more: bool, due_in: float, kind: type[Exception], says: str) -> None:
    with pytest.raises(kind) as caught:
        Progress(has_more, due_in)
    assert str(caught.value).startswith(says)


@pytest.mark.parametrize(
    ("phase", "paused", "stopping", "where"),
    [
        (Phase.NEW, False, False, "new"),
        (Phase.WAITING, False, False, "waiting"),
        (Phase.WAITING, True, False, "paused"),
        (Phase.DUE, True, False, "paused"),
        (Phase.RUNNING, False, False, "running"),
        (Phase.RUNNING, True, False, "running"),
        (Phase.RUNNING, False, True, "stopping"),
        (Phase.CANCELLING, False, True, "stopping"),
        (Phase.ABANDONED, False, True, "stopping"),
        (Phase.ENDED, False, True, "ended"),
    ],
)
def test_a_loop_stands_where_its_phase_and_what_was_asked_say(
    phase: Phase, paused: bool, stopping: bool, where: str
) -> None:
    rules: Rules[object] = Rules(forever().node, stop().node, "pace", never, never)
    state = fresh(rules)
    state = state._replace(phase=phase, asked=state.asked._replace(pause=paused, stop=stopping))
    assert standing(state) == where


def status(state: str, *, now: float, last_start: float | None = 0.0, until: float | None = None) -> Status:
    return Status(state, now, 1, last_start, None, None, 0, None, until, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(("late", "alive"), [(59.999, True), (60.0, True), (60.001, False)])
def test_a_loop_is_alive_up_to_exactly_so_late(late: float, alive: bool) -> None:
    assert status("running", now=late).is_alive(60) == alive
    assert status("stopping", now=late).is_alive(60) == alive
    assert status("waiting", now=300 + late, until=300.0).is_alive(60) == alive


@pytest.mark.parametrize(
    ("state", "alive"), [("new", True), ("paused", True), ("waiting", True), ("ended", False)]
)
def test_what_is_not_overdue_is_alive_unless_it_has_ended(state: str, alive: bool) -> None:
    assert status(state, now=10**6, last_start=None).is_alive(60) == alive


def test_a_bad_stall_is_refused() -> None:
    with pytest.raises(ValueError, match="is_alive: max_stall must be a duration of at least 0 s, got -1"):
        status("running", now=0).is_alive(-1)
