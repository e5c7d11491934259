"""The two databases: what is written stays written, what comes twice is known, and the count is honest."""

import sqlite3
from pathlib import Path
from threading import Thread
from typing import TypeVar

import pytest
from returns.io import IOFailure, IOResult, IOSuccess
from returns.unsafe import unsafe_perform_io

from effectloop.cli.outbox import Batch, Counts, Outbox, Verdict, World, judge

A = TypeVar("A")


def value(result: IOResult[A, object]) -> A:
    return unsafe_perform_io(result.unwrap())


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    outbox = Outbox(tmp_path / "outbox.db", wall=lambda: 1000.0)
    outbox.create()
    return outbox


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / "world.db", wall=lambda: 1003.5)
    world.create()
    return world


def ids(batch: Batch) -> list[int]:
    return [message.id for message in batch]


def test_unsent_reads_the_oldest_messages_and_no_more_than_asked(outbox: Outbox) -> None:
    assert outbox.write(3) == IOSuccess(3)
    assert ids(value(outbox.unsent(2))) == [1, 2]
    assert ids(value(outbox.unsent(3))) == [1, 2, 3]
    assert ids(value(outbox.unsent(4))) == [1, 2, 3]


def test_reading_takes_nothing_away_until_the_batch_is_marked(outbox: Outbox) -> None:
    outbox.write(3)
    batch = value(outbox.unsent(2))
    assert value(outbox.unsent(2)) == batch
    assert outbox.mark_sent(batch) == IOSuccess(batch)
    assert ids(value(outbox.unsent(2))) == [3]
    assert outbox.counts() == IOSuccess(Counts(produced=3, sent=2))


def test_writing_no_message_is_allowed(outbox: Outbox) -> None:
    assert outbox.write(0) == IOSuccess(0)
    assert outbox.unsent(10) == IOSuccess(())
    assert outbox.counts() == IOSuccess(Counts(0, 0))


def test_creating_again_keeps_what_is_there(outbox: Outbox, world: World) -> None:
    outbox.write(2)
    world.receive(value(outbox.unsent(2)))
    outbox.create()
    world.create()
    assert judge(outbox, world).delivered == 2


def test_the_files_are_in_wal_mode_so_that_readers_do_not_block_the_writer(outbox: Outbox) -> None:
    connection = sqlite3.connect(outbox.path)
    assert connection.execute("pragma journal_mode").fetchone() == ("wal",)
    connection.execute("begin")
    connection.execute("select count(*) from outbox").fetchone()  # a reader in the middle of its transaction
    assert outbox.write(1) == IOSuccess(1)
    connection.close()


def test_steps_run_in_any_thread(outbox: Outbox) -> None:
    threads = [Thread(target=outbox.write, args=(5,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outbox.counts() == IOSuccess(Counts(produced=40, sent=0))


def test_a_database_that_refuses_is_a_failure_and_no_exception(tmp_path: Path) -> None:
    failed = Outbox(tmp_path / "without tables.db").write(1)
    assert isinstance(failed, IOFailure)
    error = unsafe_perform_io(failed.failure())
    assert isinstance(error, sqlite3.OperationalError)
    assert str(error) == "no such table: outbox"


def test_the_world_acts_on_a_message_once_and_counts_what_comes_again(outbox: Outbox, world: World) -> None:
    outbox.write(3)
    batch = value(outbox.unsent(3))
    assert world.receive(batch[:2]) == IOSuccess(batch[:2])
    assert world.receive(batch) == IOSuccess(batch)
    assert judge(outbox, world) == Verdict(produced=3, delivered=3, acts=3, redelivered=2, longest_wait=3.5)


def test_a_batch_that_fails_half_way_leaves_no_trace(outbox: Outbox, world: World) -> None:
    outbox.write(2)
    batch = value(outbox.unsent(2))
    with sqlite3.connect(world.path) as db:
        db.execute(
            "create trigger refuse before insert on received when new.id = 2"
            " begin select raise(abort, 'refused'); end"
        )
    assert isinstance(world.receive(batch), IOFailure)
    assert judge(outbox, world).acts == 0


def test_a_message_that_never_arrived_is_lost(outbox: Outbox, world: World) -> None:
    outbox.write(5)
    batch = value(outbox.unsent(5))
    world.receive(batch[:4])
    outbox.mark_sent(batch)
    verdict = judge(outbox, world)
    assert (verdict.lost, verdict.duplicated, verdict.is_clean) == (1, 0, False)


def test_a_message_that_was_acted_on_twice_is_duplicated(outbox: Outbox, world: World) -> None:
    outbox.write(5)
    world.receive(value(outbox.unsent(5)))
    with sqlite3.connect(world.path) as db:
        db.execute("insert into acted (id) values (3)")
    verdict = judge(outbox, world)
    assert (verdict.lost, verdict.duplicated, verdict.is_clean) == (0, 1, False)


def test_an_act_for_a_message_that_nobody_produced_is_one_too_many(outbox: Outbox, world: World) -> None:
    outbox.write(1)
    batch = value(outbox.unsent(1))
    world.receive(batch)
    with sqlite3.connect(world.path) as db:
        db.execute("insert into acted (id) values (99)")
    assert judge(outbox, world).duplicated == 1


def test_nothing_produced_is_a_clean_verdict(outbox: Outbox, world: World) -> None:
    verdict = judge(outbox, world)
    assert verdict == Verdict(produced=0, delivered=0, acts=0, redelivered=0, longest_wait=0.0)
    assert verdict.is_clean
