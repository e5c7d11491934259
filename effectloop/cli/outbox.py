"""The two databases of the demo: a service's outbox, and the world that its messages must reach.

A service that must tell the world what it did writes a message into its own database, in the very
transaction of what it did, and a background loop delivers it afterwards: a transactional outbox. A crash
between "delivered" and "marked as sent" delivers a message twice, never not at all, so the receiver knows
every message by its id and acts on it once.

Every step opens a connection of its own, so it may run in any thread, and is one explicit transaction.
A step answers an `IOResult`: what may go wrong (`Trouble`) is part of its type.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias, final

from returns.io import impure_safe

BUSY_TIMEOUT: Final = 5.0
"""Seconds to wait for another connection's transaction before the step fails."""

Trouble: TypeAlias = sqlite3.Error | ConnectionError
"""What may go wrong with a step: its database refuses, or the world cannot be reached."""

TROUBLE: Final[tuple[type[Trouble], ...]] = (sqlite3.Error, ConnectionError)


@final
@dataclass(frozen=True, slots=True)
class Message:
    """A message of the outbox; its id is all that the receiver needs to know it again."""

    id: int
    body: str


Batch: TypeAlias = tuple[Message, ...]


@final
@dataclass(frozen=True, slots=True)
class Counts:
    """How far the job is: messages in the outbox, and those of them that are marked as sent."""

    produced: int = 0
    sent: int = 0


@contextmanager
def _connected(path: Path) -> Generator[sqlite3.Connection]:
    """A connection of its own; each statement is a transaction, unless one is begun."""
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT, isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def _transaction(path: Path) -> Generator[sqlite3.Connection]:
    """One transaction that writes: committed at the end, rolled back when an exception leaves it."""
    with _connected(path) as db:
        db.execute("begin immediate")
        yield db
        db.execute("commit")  # if this is not reached, closing the connection rolls back


def _create(path: Path, *tables: str) -> None:
    """Make the tables that are missing, in a file where readers do not block the writer (WAL)."""
    with _connected(path) as db:
        db.execute("pragma journal_mode = wal")
        for table in tables:
            db.execute(f"create table if not exists {table}")


@final
@dataclass(frozen=True, slots=True)
class Outbox:
    """The service's side: messages are written, read in batches, and marked once they are delivered."""

    path: Path
    wall: Callable[[], float] = time.time

    def create(self) -> None:
        """Make the file and its table, unless they are there."""
        _create(
            self.path,
            "outbox (id integer primary key autoincrement, body text not null, written_at real not null,"
            " sent_at real)",
        )

    @impure_safe(exceptions=TROUBLE)
    def write(self, count: int) -> int:
        """Write *count* new messages, and answer how many these were."""
        now = self.wall()
        with _transaction(self.path) as db:
            db.executemany(
                "insert into outbox (body, written_at) values (?, ?)",
                [("something happened", now)] * count,
            )
        return count

    @impure_safe(exceptions=TROUBLE)
    def unsent(self, limit: int) -> Batch:
        """Read the oldest messages that are not marked as sent, *limit* at most."""
        with _connected(self.path) as db:
            rows = db.execute(
                "select id, body from outbox where sent_at is null order by id limit ?", (limit,)
            ).fetchall()
        return tuple(Message(*row) for row in rows)

    @impure_safe(exceptions=TROUBLE)
    def mark_sent(self, batch: Batch) -> Batch:
        """Mark the messages of *batch* as sent."""
        now = self.wall()
        with _transaction(self.path) as db:
            db.executemany(
                "update outbox set sent_at = ? where id = ?", [(now, message.id) for message in batch]
            )
        return batch

    @impure_safe(exceptions=TROUBLE)
    def counts(self) -> Counts:
        """Count the messages, and those marked as sent."""
        with _connected(self.path) as db:
            produced, sent = db.execute("select count(*), count(sent_at) from outbox").fetchone()
        return Counts(produced, sent)


@final
@dataclass(frozen=True, slots=True)
class World:
    """The receiver's side, and the judge's witness: what arrived, and what was done about it.

    ``received`` has the message id as its primary key: that is how the world knows a message it has seen.
    ``acted`` has one row for every act, and nothing there forbids a second one: so doubles would show.
    """

    path: Path
    wall: Callable[[], float] = time.time

    def create(self) -> None:
        """Make the file and its tables, unless they are there."""
        _create(
            self.path,
            "received (id integer primary key, body text not null, received_at real not null,"
            " redelivered integer not null default 0)",
            "acted (id integer not null)",
        )

    @impure_safe(exceptions=TROUBLE)
    def receive(self, batch: Batch) -> Batch:
        """Take *batch* in one transaction: act on the messages that are new, count the others."""
        now = self.wall()
        with _transaction(self.path) as db:
            for message in batch:
                is_new = db.execute(
                    "insert into received (id, body, received_at) values (?, ?, ?) on conflict do nothing",
                    (message.id, message.body, now),
                ).rowcount
                db.execute(
                    "insert into acted (id) values (?)"
                    if is_new
                    else "update received set redelivered = redelivered + 1 where id = ?",
                    (message.id,),
                )
        return batch


@final
@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of the messages, counted from the two databases.

    Attributes:
        produced: Messages in the outbox.
        delivered: Those of them that the world acted on.
        acts: How often the world acted: once for each delivered message, if all is well.
        redelivered: How often a message came again and was known; harmless, so it is counted apart.
        longest_wait: The longest time from a message's writing to its arrival, in seconds.
    """

    produced: int
    delivered: int
    acts: int
    redelivered: int
    longest_wait: float

    @property
    def lost(self) -> int:
        """Messages that the world never acted on."""
        return self.produced - self.delivered

    @property
    def duplicated(self) -> int:
        """Acts beyond one for each message."""
        return self.acts - self.delivered

    @property
    def is_clean(self) -> bool:
        """Nothing was lost and nothing was done twice."""
        return self.lost == 0 and self.duplicated == 0


def judge(outbox: Outbox, world: World) -> Verdict:
    """Count from the databases themselves what was produced, what the world did, and what it did twice."""
    with _connected(outbox.path) as db:
        db.execute("attach database ? as world", (str(world.path),))
        return Verdict(
            *db.execute(
                """
                select
                    (select count(*) from outbox),
                    (select count(*) from outbox where id in (select id from world.acted)),
                    (select count(*) from world.acted),
                    (select coalesce(sum(redelivered), 0) from world.received),
                    (select coalesce(max(received_at - written_at), 0.0)
                        from outbox join world.received using (id))
                """
            ).fetchone()
        )
