"""The demo as a process of its own: it is stopped, killed and resumed, and loses nothing."""

from __future__ import annotations

import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

LIMIT = 60.0
"""Seconds after which a process hangs."""

SUMMARY = re.compile(
    r"produced (?P<produced>\d+), delivered (?P<delivered>\d+), (lost|left in the outbox) (?P<lost>\d+),"
    r" duplicated (?P<duplicated>\d+) \((?P<failures>\d+) failures? and (?P<defects>\d+) defects? survived,"
    r" (?P<redelivered>\d+) redelivered, longest wait \d+\.\d s\)"
)


class Ran(NamedTuple):
    """What a process that ended has left."""

    code: int
    lines: list[str]
    error: str

    def count(self, what: str) -> int:
        summary = SUMMARY.fullmatch(self.lines[-1])
        assert summary is not None, self.lines[-1]
        return int(summary[what])

    def assert_clean(self) -> None:
        assert (self.code, self.error) == (0, "")
        assert (self.count("lost"), self.count("duplicated")) == (0, 0)
        assert self.count("delivered") == self.count("produced")


class Process:
    """A demo that runs, read line by line."""

    def __init__(self, popen: subprocess.Popen[str]) -> None:
        self.popen = popen
        self.lines: list[str] = []

    def read_until(self, words: str) -> None:
        """Read lines until one has *words*."""
        assert self.popen.stdout is not None
        for line in self.popen.stdout:
            self.lines.append(line.rstrip("\n"))
            if words in line:
                return
        pytest.fail(f"it ended before it said {words!r}: {self.lines}")

    def signal(self, number: signal.Signals) -> None:
        self.popen.send_signal(number)

    def end(self) -> Ran:
        out, error = self.popen.communicate(timeout=LIMIT)
        return Ran(self.popen.returncode, [*self.lines, *out.splitlines()], error)


@contextmanager
def demo(folder: Path, *arguments: str) -> Iterator[Process]:
    """A demo, with *folder* for its temporary files."""
    command = [sys.executable, "-m", "effectloop.cli.main", "demo", *arguments]
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as popen:
        try:
            yield Process(popen)
        finally:
            popen.kill()  # does nothing to a process that has ended


def ran(folder: Path, *arguments: str) -> Ran:
    with demo(folder, *arguments) as process:
        return process.end()


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_run_delivers_all_it_produced_and_says_so_in_plain_lines(tmp_path: Path, backend: str) -> None:
    run = ran(tmp_path, "--seconds", "1.5", "--backend", backend)
    run.assert_clean()
    assert run.count("produced") == 150
    assert run.count("failures") > 0
    assert run.lines[0] == "   0.0 s  producing 100 messages a second for 1.5 s"
    assert all(re.match(r" *\d+\.\d s  \S", line) for line in run.lines[:-1])
    assert sum(" draining" in line for line in run.lines) == 1
    assert list(tmp_path.iterdir()) == []  # the temporary folder is gone


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_gracefully(tmp_path: Path, number: signal.Signals) -> None:
    with demo(tmp_path, "--seconds", "50") as process:
        process.read_until("produced")
        process.signal(number)
        run = process.end()
    run.assert_clean()
    assert 50 <= run.count("produced") < 1000
    assert [line.split("s  ")[1] for line in run.lines if number.name in line] == [
        f"{number.name}: stopping; a second signal cuts it short"
    ]
    assert list(tmp_path.iterdir()) == []


def test_a_signal_in_an_outage_is_drained_after_it(tmp_path: Path) -> None:
    with demo(tmp_path, "--seconds", "4") as process:
        process.read_until("the world is down")
        process.signal(signal.SIGTERM)
        run = process.end()
    run.assert_clean()
    assert run.count("produced") < 400


def test_a_second_signal_cuts_it_short_and_says_what_is_left(tmp_path: Path) -> None:
    files = ("--db", str(tmp_path / "demo.db"))
    with demo(tmp_path, *files, "--seconds", "5") as process:
        process.read_until("the world is down")
        process.signal(signal.SIGINT)
        process.read_until("SIGINT: stopping")
        process.signal(signal.SIGINT)
        run = process.end()
    assert (run.code, run.error) == (128 + signal.SIGINT, "")
    assert "left in the outbox" in run.lines[-1]
    assert run.count("lost") == run.count("produced") - run.count("delivered") > 0
    resumed = ran(tmp_path, *files, "--resume", "--seconds", "0")
    resumed.assert_clean()
    assert resumed.count("produced") == run.count("produced")


def test_killed_at_any_moment_and_resumed_it_loses_and_doubles_nothing(tmp_path: Path) -> None:
    files = ("--db", str(tmp_path / "demo.db"))
    moments = ("producing", "failure", "produced", "the world is down")
    for seed, moment in enumerate(moments):
        resume = ("--resume",) if seed else ()
        with demo(tmp_path, *files, *resume, "--seconds", "2", "--seed", str(seed)) as process:
            process.read_until(moment)
            process.signal(signal.SIGKILL)
            assert process.end().code == -signal.SIGKILL
    run = ran(tmp_path, *files, "--resume", "--seconds", "0.5")
    run.assert_clean()
    assert run.count("produced") > 50  # those of the killed runs, and of this one
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo.db", "demo.world.db"]


def test_a_crash_between_delivered_and_marked_is_a_redelivery_and_no_double(tmp_path: Path) -> None:
    path = tmp_path / "demo.db"
    ran(tmp_path, "--db", str(path), "--seconds", "0.5").assert_clean()
    with sqlite3.connect(path) as outbox:
        outbox.execute("update outbox set sent_at = null where id > 20")  # what the crash left unsaid
    run = ran(tmp_path, "--db", str(path), "--resume", "--seconds", "0")
    run.assert_clean()
    assert run.count("redelivered") >= run.count("produced") - 20 > 0


def test_a_lost_or_doubled_message_is_exit_code_1(tmp_path: Path) -> None:
    path = tmp_path / "demo.db"
    ran(tmp_path, "--db", str(path), "--seconds", "0.3").assert_clean()
    for breach, lost, duplicated in (
        ("insert into acted (id) values (7)", 0, 1),
        ("delete from acted where id = 7", 1, 0),
    ):
        with sqlite3.connect(tmp_path / "demo.world.db") as world:
            world.execute(breach)
        run = ran(tmp_path, "--db", str(path), "--resume", "--seconds", "0")
        assert (run.code, run.count("lost"), run.count("duplicated")) == (1, lost, duplicated)


def test_a_reader_that_goes_away_gets_no_traceback(tmp_path: Path) -> None:
    with demo(tmp_path, "--seconds", "0.5") as process:
        process.read_until("producing")
        assert process.popen.stdout is not None
        process.popen.stdout.close()
        assert process.popen.stderr is not None
        error = process.popen.stderr.read()
        assert (process.popen.wait(LIMIT), error) == (1, "")


def test_in_a_terminal_it_draws_the_panel_and_ends_with_the_summary(tmp_path: Path) -> None:
    ours, its = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "160", "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "effectloop.cli.main", "demo", "--seconds", "0.5"]
    with subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=environment) as popen:
        os.close(its)
        screen = "".join(_read_all(ours))
        os.close(ours)
        assert popen.wait(LIMIT) == 0
    assert "effectloop demo: producing 100 messages a second for 0.5 s" in screen
    assert "failures in a row" in screen
    assert "50 of 50" in screen
    last = screen.rstrip().splitlines()[-1]
    assert SUMMARY.search(last) is not None, last


def _read_all(terminal: int) -> Iterator[str]:
    """Read what comes from *terminal* until the other side has closed it."""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # how Linux says it
            return
        if not data:
            return
        yield data.decode(errors="replace")
