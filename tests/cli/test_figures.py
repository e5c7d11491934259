"""The figures are what the events and the counts say, told with bare events."""

import pytest

from effectloop.cli.figures import Figures, plural
from effectloop.cli.outbox import Counts
from effectloop.loop.events import (
    Identity,
    IterationCancelled,
    IterationDefect,
    IterationFailed,
    IterationStarted,
    IterationSucceeded,
    LoopEnded,
    LoopStarted,
    StopAsked,
    Waiting,
)
from effectloop.loop.outcome import Ended, Progress, Reason

LOOP = Identity("outbox", "background-processor")
DOWN = ConnectionRefusedError("the world is down")


def failed(time: float, failures: int, *, changed: bool) -> IterationFailed:
    return IterationFailed(
        LOOP, time, failures, 0.01, late=False, error=DOWN, failures=failures, changed=changed
    )


def defect(time: float, failures: int) -> IterationDefect:
    bug = IndexError("list index out of range")
    return IterationDefect(
        LOOP, time, 1, 0.01, late=False, error=bug, failures=failures, changed=True, ends_loop=False
    )


def succeeded(time: float, *, has_more: bool, failures_ended: int = 0) -> IterationSucceeded:
    return IterationSucceeded(
        LOOP, time, 1, 0.01, late=False, progress=Progress(has_more), failures_ended=failures_ended
    )


@pytest.fixture
def figures() -> Figures:
    return Figures(began=100.0)


def test_failures_are_counted_in_a_row_and_in_all(figures: Figures) -> None:
    figures.observe(failed(101.0, 1, changed=True))
    figures.observe(failed(102.0, 2, changed=False))
    assert (figures.failures, figures.failures_in_a_row) == (2, 2)
    assert figures.last_result == "failure: the world is down"
    figures.observe(succeeded(103.0, has_more=True, failures_ended=2))
    assert (figures.failures, figures.failures_in_a_row) == (2, 0)
    assert figures.last_result == "a full batch delivered"


def test_defects_are_counted_apart_from_failures(figures: Figures) -> None:
    figures.observe(failed(101.0, 1, changed=True))
    figures.observe(defect(101.5, 2))
    assert (figures.failures, figures.defects, figures.failures_in_a_row) == (1, 1, 2)
    assert figures.last_result == "defect: IndexError: list index out of range"
    assert figures.survived == "1 failure and 1 defect"


def test_a_success_that_found_nothing_more_says_so(figures: Figures) -> None:
    figures.observe(succeeded(101.0, has_more=False))
    assert figures.last_result == "nothing left for now"


def test_the_news_are_first_failures_changes_and_recoveries_but_no_repeats(figures: Figures) -> None:
    figures.observe(succeeded(100.5, has_more=False))
    figures.observe(failed(101.0, 1, changed=True))
    figures.observe(failed(101.5, 2, changed=False))
    figures.observe(defect(102.0, 3))
    figures.observe(succeeded(102.5, has_more=False, failures_ended=3))
    assert list(figures.news) == [
        (1.0, "failure: the world is down"),
        (2.0, "defect: IndexError: list index out of range"),
        (2.5, "recovered after 3 failures"),
    ]


@pytest.mark.parametrize(
    ("why", "state"),
    [
        (Reason.INITIAL, "about to start"),
        (Reason.IDLE, "idle"),
        (Reason.FAILING, "backing off"),
        ("something else", "waiting"),
    ],
)
def test_a_wait_says_why_and_until_when(figures: Figures, why: object, state: str) -> None:
    figures.observe(Waiting(LOOP, 101.0, 1, delay=0.25, until=101.25, why=why))
    assert (figures.state, figures.next_wake) == (state, 101.25)


def test_an_iteration_that_starts_ends_the_wait(figures: Figures) -> None:
    figures.observe(Waiting(LOOP, 101.0, 1, delay=0.25, until=101.25, why=Reason.IDLE))
    figures.observe(IterationStarted(LOOP, 101.25, 2))
    assert (figures.state, figures.next_wake) == ("delivering", None)


def test_a_stop_ends_the_wait_and_the_end_says_how(figures: Figures) -> None:
    figures.observe(LoopStarted(LOOP, 100.0))
    assert figures.state == "starting"
    figures.observe(Waiting(LOOP, 101.0, 1, delay=0.25, until=101.25, why=Reason.IDLE))
    figures.observe(StopAsked(LOOP, 101.1))
    assert (figures.state, figures.next_wake) == ("stopping", None)
    figures.observe(LoopEnded(LOOP, 101.1, Ended("drained", None, 1, None)))
    assert (figures.state, figures.next_wake) == ("drained", None)


def test_a_loop_that_is_cut_in_a_wait_wakes_no_more(figures: Figures) -> None:
    figures.observe(Waiting(LOOP, 101.0, 1, delay=0.25, until=101.25, why=Reason.IDLE))
    figures.observe(LoopEnded(LOOP, 101.1, Ended("cancelled", None, 1, None)))
    assert (figures.state, figures.next_wake) == ("cancelled", None)


def test_an_iteration_that_was_cancelled_is_no_failure(figures: Figures) -> None:
    figures.observe(IterationCancelled(LOOP, 101.0, 1, 0.5, late=False))
    assert (figures.failures, figures.defects, figures.failures_in_a_row) == (0, 0, 0)


def test_the_throughput_is_that_of_the_last_second(figures: Figures) -> None:
    figures.count(100.0, Counts(produced=10, sent=0))
    assert figures.throughput == 0.0
    figures.count(100.5, Counts(produced=50, sent=40))
    assert figures.throughput == 80.0
    figures.count(101.0, Counts(produced=100, sent=90))
    assert figures.throughput == 90.0
    figures.count(101.5, Counts(produced=150, sent=90))
    assert figures.throughput == 50.0
    figures.count(103.0, Counts(produced=150, sent=90))
    assert figures.throughput == 0.0


def test_what_an_earlier_run_delivered_is_no_throughput(figures: Figures) -> None:
    figures.count(100.0, Counts(produced=5000, sent=4000))
    figures.count(100.5, Counts(produced=5050, sent=4100))
    assert figures.throughput == 200.0


def test_a_new_phase_is_news(figures: Figures) -> None:
    figures.enter("draining", 110.0)
    assert figures.phase == "draining"
    assert list(figures.news) == [(10.0, "draining")]


def test_a_count_of_one_has_no_plural() -> None:
    assert [plural(count, "failure") for count in (0, 1, 2)] == ["0 failures", "1 failure", "2 failures"]
