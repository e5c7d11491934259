"""The trouble is as much as it says it is, and the same for the same seed."""

import sqlite3

import pytest
from returns.io import IOFailure, IOResult, IOSuccess
from returns.unsafe import unsafe_perform_io

from effectloop.cli.faults import Faults
from effectloop.cli.outbox import Trouble


class Hand:
    """The hand of a clock that a test moves."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


def step(given: int) -> IOResult[int, Trouble]:
    return IOSuccess(given + 1)


def refusals(seed: int, calls: int) -> list[bool]:
    fetch = Faults(seed, seconds=10, now=Hand()).sometimes_locked(step)
    return [isinstance(fetch(0), IOFailure) for _ in range(calls)]


def downtime(seconds: float, until: float, seed: int = 1) -> list[float]:
    hand = Hand()
    faults = Faults(seed, seconds=seconds, now=hand)
    down = []
    for hundredth in range(round(until * 100)):
        hand.time = hundredth / 100
        if faults.world_is_down():
            down.append(hand.time)
    return down


def test_one_fetch_in_five_fails_as_a_locked_database_does() -> None:
    assert 1900 < sum(refusals(seed=1, calls=10_000)) < 2100


def test_a_locked_database_is_an_operational_error() -> None:
    fetch = Faults(1, seconds=10, now=Hand()).sometimes_locked(step)
    answers = [fetch(0) for _ in range(50)]
    errors = [unsafe_perform_io(answer.failure()) for answer in answers if isinstance(answer, IOFailure)]
    assert {(type(error), str(error)) for error in errors} == {
        (sqlite3.OperationalError, "database is locked")
    }
    assert answers.count(IOSuccess(1)) + len(errors) == 50


def test_the_same_seed_brings_the_same_faults_and_another_one_others() -> None:
    assert refusals(seed=7, calls=100) == refusals(seed=7, calls=100)
    assert refusals(seed=7, calls=100) != refusals(seed=8, calls=100)
    assert downtime(10, until=10, seed=7) == downtime(10, until=10, seed=7)
    assert downtime(10, until=10, seed=7) != downtime(10, until=10, seed=8)


def test_the_draws_of_one_fault_do_not_depend_on_the_calls_of_another() -> None:
    faults = Faults(7, seconds=10, now=Hand())
    fetch, mark = faults.sometimes_locked(step), faults.sometimes_broken(step)
    answers = []
    for _ in range(40):
        answers.append(isinstance(fetch(0), IOFailure))
        mark(0)
    assert answers == refusals(seed=7, calls=40)


@pytest.mark.parametrize("seed", range(20))
def test_the_world_is_down_for_four_seconds_in_ten_in_one_piece(seed: int) -> None:
    down = downtime(10, until=10, seed=seed)
    assert len(down) in (399, 400, 401)
    assert down[-1] - down[0] == pytest.approx(4, abs=0.02)
    assert 1.5 <= down[0] <= 3.51


def test_a_short_run_has_a_short_outage_within_it() -> None:
    down = downtime(1, until=1)
    assert down[-1] - down[0] == pytest.approx(0.4, abs=0.02)


def test_a_long_run_has_an_outage_every_ten_seconds() -> None:
    down = downtime(60, until=30)
    assert len(down) == pytest.approx(1200, abs=3)
    assert [round(time + 10, 2) for time in down if time < 10] == pytest.approx(
        [time for time in down if 10 <= time < 20], abs=0.011
    )


def test_a_run_that_produces_nothing_has_no_outage() -> None:
    assert downtime(0, until=20) == []


def test_the_world_that_is_down_refuses_every_call_until_it_is_up() -> None:
    hand = Hand()
    deliver = Faults(1, seconds=10, now=hand).sometimes_down(step)
    first = downtime(10, until=10)[0]
    hand.time = first + 0.01
    refused = deliver(1)
    assert isinstance(refused, IOFailure)
    error = unsafe_perform_io(refused.failure())
    assert isinstance(error, ConnectionRefusedError)
    assert str(error) == "the world is down"
    hand.time = first + 4.02
    assert deliver(1) == IOSuccess(2)


def test_a_bug_strikes_now_and_then_and_raises_what_no_type_promises() -> None:
    mark = Faults(1, seconds=10, now=Hand()).sometimes_broken(step)
    bugs = 0
    for _ in range(10_000):
        try:
            assert mark(1) == IOSuccess(2)
        except IndexError:
            bugs += 1
    assert 340 < bugs < 460
