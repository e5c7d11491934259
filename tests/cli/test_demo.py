"""The demo itself: each turn by hand, and whole runs in virtual time."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TypeVar

import pytest
from returns.io import IOFailure, IOResult, IOSuccess
from returns.result import Failure, Result, Success
from returns.unsafe import unsafe_perform_io

from effectloop import Defect, Outcome, Progress
from effectloop.cli import faults
from effectloop.cli.demo import Job, delivery, drain, nothing_left, production, run, summary
from effectloop.cli.faults import Faults
from effectloop.cli.figures import Figures
from effectloop.cli.outbox import Counts, Outbox, Verdict, World, judge
from effectloop.testing import VirtualClock

A = TypeVar("A")

MORE = IOSuccess(Progress(has_more=True))
ENOUGH = IOSuccess(Progress(has_more=False))


def value(result: IOResult[A, object]) -> A:
    return unsafe_perform_io(result.unwrap())


class Hand:
    """The hand of a clock that a test moves."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    outbox = Outbox(tmp_path / "outbox.db")
    outbox.create()
    return outbox


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / "world.db")
    world.create()
    return world


@pytest.fixture
def no_faults(monkeypatch: pytest.MonkeyPatch) -> Faults:
    for share in ("LOCKED", "BROKEN", "OUTAGE"):
        monkeypatch.setattr(faults, share, 0.0)
    return Faults(1, seconds=10, now=Hand())


# One turn of each loop.


def test_a_turn_delivers_and_marks_a_batch_and_says_whether_it_was_full(
    outbox: Outbox, world: World, no_faults: Faults
) -> None:
    outbox.write(25)
    turn = delivery(outbox, world, no_faults, 10)
    assert [turn() for _ in range(4)] == [MORE, MORE, ENOUGH, ENOUGH]
    assert outbox.counts() == IOSuccess(Counts(produced=25, sent=25))
    assert judge(outbox, world).acts == 25


def test_a_batch_that_fills_exactly_asks_for_one_more_turn(
    outbox: Outbox, world: World, no_faults: Faults
) -> None:
    outbox.write(10)
    turn = delivery(outbox, world, no_faults, 10)
    assert [turn(), turn()] == [MORE, ENOUGH]


def test_what_was_not_delivered_is_not_marked(
    outbox: Outbox, world: World, no_faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox.write(3)
    turn = delivery(outbox, world, no_faults, 10)
    monkeypatch.setattr(faults, "OUTAGE", 1.0)
    down = Faults(1, seconds=10, now=lambda: 5.0)
    failed = delivery(outbox, world, down, 10)()
    assert isinstance(failed, IOFailure)
    assert isinstance(unsafe_perform_io(failed.failure()), ConnectionRefusedError)
    assert outbox.counts() == IOSuccess(Counts(produced=3, sent=0))
    assert turn() == ENOUGH
    assert judge(outbox, world) == Verdict(
        3, 3, 3, redelivered=0, longest_wait=judge(outbox, world).longest_wait
    )


def test_a_bug_between_delivered_and_marked_delivers_again_and_doubles_nothing(
    outbox: Outbox, world: World, no_faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox.write(3)
    turn = delivery(outbox, world, no_faults, 10)
    monkeypatch.setattr(faults, "BROKEN", 1.0)
    with pytest.raises(IndexError):
        turn()
    assert (judge(outbox, world).acts, outbox.counts()) == (3, IOSuccess(Counts(produced=3, sent=0)))
    monkeypatch.setattr(faults, "BROKEN", 0.0)
    assert turn() == ENOUGH
    verdict = judge(outbox, world)
    assert (verdict.lost, verdict.duplicated, verdict.redelivered) == (0, 0, 3)


def test_a_fetch_that_fails_delivers_nothing(
    outbox: Outbox, world: World, no_faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox.write(3)
    monkeypatch.setattr(faults, "LOCKED", 1.0)
    failed = delivery(outbox, world, no_faults, 10)()
    assert isinstance(failed, IOFailure)
    assert isinstance(unsafe_perform_io(failed.failure()), sqlite3.OperationalError)
    assert judge(outbox, world).acts == 0


def test_the_producer_writes_what_is_due_and_catches_up_when_late(outbox: Outbox) -> None:
    elapsed = Hand()
    turn = production(outbox, Job(seconds=1, rate=100), elapsed)
    for time, answer, produced in (
        (0.0, MORE, 0),
        (0.1, MORE, 10),
        (0.1, MORE, 10),
        (0.55, MORE, 55),
        (0.994, MORE, 99),
        (1.0, ENOUGH, 100),
        (1.1, ENOUGH, 100),
    ):
        elapsed.time = time
        assert turn() == answer
        assert value(outbox.counts()).produced == produced


def test_a_producer_that_is_late_at_the_end_writes_all_that_was_asked_for(outbox: Outbox) -> None:
    elapsed = Hand()
    turn = production(outbox, Job(seconds=1, rate=33), elapsed)
    elapsed.time = 7.0
    assert turn() == ENOUGH
    assert value(outbox.counts()).produced == 33


def test_a_write_that_failed_is_made_good_by_the_next_turn(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path / "late.db")
    elapsed = Hand()
    turn = production(outbox, Job(seconds=1, rate=100), elapsed)
    elapsed.time = 0.2
    assert isinstance(turn(), IOFailure)  # there is no table yet
    outbox.create()
    elapsed.time = 0.3
    assert turn() == MORE
    assert value(outbox.counts()).produced == 30


def test_a_producer_of_nothing_still_takes_its_time(outbox: Outbox) -> None:
    elapsed = Hand()
    turn = production(outbox, Job(seconds=1, rate=0), elapsed)
    assert turn() == MORE
    elapsed.time = 1.0
    assert turn() == ENOUGH


def test_the_drain_is_over_when_every_message_is_marked(outbox: Outbox) -> None:
    turn = drain(outbox)
    assert turn() == ENOUGH
    outbox.write(2)
    assert turn() == MORE
    outbox.mark_sent(value(outbox.unsent(1)))
    assert turn() == MORE
    outbox.mark_sent(value(outbox.unsent(1)))
    assert turn() == ENOUGH


@pytest.mark.parametrize(
    ("result", "over"),
    [
        (Success(Progress(has_more=False)), True),
        (Success(Progress(has_more=True)), False),
        (Failure(ConnectionRefusedError()), False),
        (Failure(Defect(IndexError())), False),
    ],
)
def test_only_a_turn_that_found_nothing_left_ends_a_loop(
    result: Result[Progress, object | Defect], over: bool
) -> None:
    assert nothing_left(Outcome(result, duration=0.0)) is over


@pytest.mark.parametrize(("rate", "batch"), [(0, 25), (100, 25), (101, 25), (200, 50), (10_000, 2500)])
def test_batches_grow_with_the_rate_so_that_a_backlog_can_be_worked_off(rate: float, batch: int) -> None:
    assert Job(rate=rate).batch == batch


# The last line.


def test_the_summary_is_one_line_that_counts_everything() -> None:
    figures = Figures(began=0.0, failures=37, defects=2)
    verdict = Verdict(produced=1000, delivered=1000, acts=1000, redelivered=50, longest_wait=4.94)
    assert summary(verdict, figures) == (
        "produced 1000, delivered 1000, lost 0, duplicated 0"
        " (37 failures and 2 defects survived, 50 redelivered, longest wait 4.9 s)"
    )


def test_the_summary_of_a_run_cut_short_says_left_instead_of_lost() -> None:
    figures = Figures(began=0.0, failures=1, forced_by=2)
    verdict = Verdict(produced=500, delivered=480, acts=481, redelivered=0, longest_wait=0.3)
    assert summary(verdict, figures) == (
        "produced 500, delivered 480, left in the outbox 20, duplicated 1"
        " (1 failure and 0 defects survived, 0 redelivered, longest wait 0.3 s)"
    )


# Whole runs.


async def play(folder: Path, job: Job) -> tuple[Verdict, Figures, float]:
    """Run the demo in virtual time, and answer what became of it and how long it took."""
    async with VirtualClock(wall=1e9) as clock:
        outbox, world = (
            Outbox(folder / f"{job.seed}.db", clock.wall),
            World(folder / f"{job.seed}.world", clock.wall),
        )
        outbox.create()
        world.create()
        figures = await run(job, outbox, world, lambda _: None, clock)
        return judge(outbox, world), figures, clock.monotonic()


@pytest.mark.anyio
async def test_ten_seconds_of_trouble_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    verdict, figures, took = await play(tmp_path, Job())
    assert (verdict.produced, verdict.delivered, verdict.lost, verdict.duplicated) == (1000, 1000, 0, 0)
    assert figures.failures > 10
    assert figures.defects > 0
    assert verdict.redelivered > 0  # a bug has struck between delivered and marked
    assert 4.0 < verdict.longest_wait < 6.0  # the outage, and the back-off after it
    assert 10.0 <= took < 13.0
    assert figures.counts == Counts(produced=1000, sent=1000)
    assert (figures.phase, figures.state) == ("over", "drained")


@pytest.mark.anyio
@pytest.mark.parametrize("seed", range(6))
async def test_whatever_the_faults_nothing_is_lost(tmp_path: Path, seed: int) -> None:
    verdict, _, _ = await play(tmp_path, Job(seconds=3, rate=200, seed=seed))
    assert (verdict.produced, verdict.is_clean) == (600, True)


@pytest.mark.anyio
async def test_the_same_seed_brings_the_same_run(tmp_path: Path) -> None:
    runs = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        verdict, figures, took = await play(tmp_path / name, Job(seconds=3, seed=7))
        runs.append((verdict, figures.failures, figures.defects, took))
    assert runs[0] == runs[1]


@pytest.mark.anyio
async def test_a_message_written_in_the_last_moment_is_still_delivered(tmp_path: Path) -> None:
    verdict, _, took = await play(tmp_path, Job(seconds=0.1, rate=10))
    assert (verdict.produced, verdict.delivered) == (1, 1)
    assert took >= 0.1
