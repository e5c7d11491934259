"""What `log_events` writes for each event, quiet and not."""

from __future__ import annotations

import logging
from functools import partial

import pytest

from effectloop.loop.events import (
    Event,
    Identity,
    IterationDefect,
    IterationFailed,
    IterationStarted,
    IterationSucceeded,
    LoopEnded,
    LoopStarted,
    StopAsked,
    StopTimedOut,
    Waiting,
)
from effectloop.loop.outcome import Ended, Progress, Reason
from effectloop.observe.logging import log_events

LOOP = Identity("outbox", "background-processor", "pod-7")
BUG = ZeroDivisionError("a bug")
LOUD = partial(log_events, quiet=False)


def failed(failures: int, changed: bool, error: object = "down") -> IterationFailed:
    return IterationFailed(LOOP, 0.0, failures, 0.0, False, error, failures, changed)


def defect(changed: bool, ends_loop: bool) -> IterationDefect:
    return IterationDefect(LOOP, 0.0, 1, 0.0, False, BUG, 1, changed, ends_loop)


def recovered(failures: int) -> IterationSucceeded:
    return IterationSucceeded(LOOP, 0.0, 1, 0.0, False, Progress(has_more=False), failures)


def ended() -> LoopEnded:
    return LoopEnded(LOOP, 0.0, Ended("drained", None, 3, None))


UNTOLD: list[Event] = [
    LoopStarted(LOOP, 0.0),
    IterationStarted(LOOP, 0.0, 1),
    recovered(0),
    Waiting(LOOP, 0.0, 1, 1.0, 1.0, Reason.IDLE),
]


def lines(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(record.levelname, record.getMessage()) for record in caplog.records]


@pytest.fixture(autouse=True)
def _all_levels(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="effectloop")


def test_a_thousand_equal_failures_are_one_warning_and_a_recovery_one_info(
    caplog: pytest.LogCaptureFixture,
) -> None:
    for n in range(1, 1001):
        log_events(failed(n, changed=n == 1))
    log_events(recovered(1000))
    levels = [level for level, _ in lines(caplog)]
    assert levels == ["WARNING", *["DEBUG"] * 999, "INFO"]
    assert lines(caplog)[0][1] == "Error in iteration effect"
    assert lines(caplog)[-1][1] == "Recovered after 1000 failures in a row"


def test_a_change_of_error_is_a_warning_again(caplog: pytest.LogCaptureFixture) -> None:
    for record in (failed(1, True), failed(2, False), failed(3, True, "other"), failed(4, False, "other")):
        log_events(record)
    assert [level for level, _ in lines(caplog)] == ["WARNING", "DEBUG", "WARNING", "DEBUG"]


def test_what_the_originals_do_not_log_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    for record in UNTOLD:
        log_events(record)
        LOUD(record)
    for record in (recovered(7), StopAsked(LOOP, 0.0), ended()):
        LOUD(record)
    assert lines(caplog) == []


def test_loud_every_failure_is_an_error_as_in_the_originals(caplog: pytest.LogCaptureFixture) -> None:
    for n in range(1, 4):
        LOUD(failed(n, changed=n == 1))
    assert lines(caplog) == [("ERROR", "Error in iteration effect")] * 3


def test_the_fields_of_the_originals_are_in_extra_and_the_error_is_the_failure_s_own_value(
    caplog: pytest.LogCaptureFixture,
) -> None:
    error = OSError("down")
    log_events(failed(1, True, error))
    log_events(failed(1, True, None))
    log_events(StopTimedOut(LOOP, 0.0, 15.0))
    first, absent, timed_out = (vars(record) for record in caplog.records)
    assert [first[key] for key in ("service", "executor_id", "process_name")] == [
        "background-processor",
        "pod-7",
        "outbox",
    ]
    assert first["error"] is error
    assert str(absent["error"]) == "None"
    assert "error" not in timed_out
    assert (timed_out["levelname"], timed_out["msg"] % timed_out["args"]) == (
        "WARNING",
        "Background processor shutdown timed out",
    )


@pytest.mark.parametrize(
    ("record", "observer", "level", "text"),
    [
        (defect(True, True), log_events, "ERROR", "Uncaught error in background processor"),
        (defect(True, True), LOUD, "ERROR", "Uncaught error in background processor"),
        (defect(True, False), log_events, "ERROR", "Uncaught error in iteration effect"),
        (defect(False, False), log_events, "DEBUG", "Uncaught error in iteration effect"),
        (defect(False, False), LOUD, "ERROR", "Uncaught error in iteration effect"),
    ],
)
def test_a_defect_has_its_traceback(
    record: IterationDefect,
    observer: partial[None],
    level: str,
    text: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    observer(record)
    assert lines(caplog) == [(level, text)]
    info = caplog.records[0].exc_info
    assert info is not None
    assert info[1] is BUG
    assert vars(caplog.records[0])["error"] is BUG


def test_a_stop_is_one_line_at_its_start_and_one_at_its_end(caplog: pytest.LogCaptureFixture) -> None:
    log_events(StopAsked(LOOP, 0.0))
    log_events(ended())
    assert lines(caplog) == [
        ("INFO", "Background processor is stopping"),
        ("INFO", "Background processor ended: drained"),
    ]


def test_another_logger_is_used_when_given(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="mine")
    log_events(failed(1, True), logger=logging.getLogger("mine"))
    assert [record.name for record in caplog.records] == ["mine"]
