"""The commands of ``effectloop``: their options, what is refused, and their exit codes."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal, final

import anyio
from cyclopts import App, CycloptsError, Parameter
from rich.console import Console

from effectloop import SystemClock
from effectloop.cli.demo import Job, run, summary
from effectloop.cli.live import open_view
from effectloop.cli.outbox import Outbox, World, judge

CLEAN: Final = 0
"""Exit code: nothing was lost, nothing was done twice."""

UNCLEAN: Final = 1
"""Exit code: something was."""

MISUSED: Final = 2
"""Exit code: the options cannot be served."""

FORCED: Final = 128
"""Exit code, plus the signal's number: a second signal cut the run short."""

app: Final = App(
    name="effectloop",
    help="Schedules as typed values that compose, and background loops tested without waiting.",
    version=version("effectloop"),
    default_parameter=Parameter(negative=()),
)


@final
class Misuse(Exception):
    """Options that cannot be served; the text is the one line that the caller gets to read."""


def serve(arguments: Sequence[str]) -> int:
    """Run the command that *arguments* name, and answer its exit code."""
    try:
        code: object = app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
    except (CycloptsError, Misuse) as error:
        print(f"effectloop: {error}", file=sys.stderr)
        return MISUSED
    except BrokenPipeError:  # nobody reads on, as in `effectloop demo | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNCLEAN
    return code if isinstance(code, int) else CLEAN


@app.command
def demo(
    *,
    seconds: float = 10.0,
    rate: float = 100.0,
    seed: int = 0,
    db: Path | None = None,
    resume: bool = False,
    backend: Literal["asyncio", "trio"] = "asyncio",
) -> int:
    """Drain a real queue through failures, an outage and bugs, and lose nothing.

    A producer writes messages into an SQLite outbox, and a background processor delivers them to a second
    database, which stands for the outside world. Meanwhile one fetch in five fails, the world goes down for a
    few seconds, and now and then a bug strikes.

    The demo ends by itself, on Ctrl-C and on SIGTERM: it delivers what is left, and counts what became of
    every message. A second signal cuts it short. Exit code 1 means that something was lost or done twice.

    Args:
        seconds: How long messages are produced.
        rate: How many of them in a second.
        seed: The same seed brings the same faults.
        db: The outbox, a new file; the world's database goes beside it. Without it: a temporary folder.
        resume: Go on with the files of an earlier run, however that ended. Needs --db.
        backend: The event loop to run on.
    """
    if backend == "trio" and find_spec("trio") is None:
        msg = "demo: --backend trio needs the package trio: pip install trio"
        raise Misuse(msg)
    try:
        job = Job(seconds, rate, seed)
    except ValueError as error:
        raise Misuse(str(error)) from error
    with _databases(db, resume=resume) as (outbox, world):
        with open_view(Console()) as show:
            figures = anyio.run(run, job, outbox, world, show, SystemClock(seed), backend=backend)
        verdict = judge(outbox, world)
        print(summary(verdict, figures), flush=True)
    if figures.forced_by is not None:
        return FORCED + figures.forced_by
    return CLEAN if verdict.is_clean else UNCLEAN


@contextmanager
def _databases(db: Path | None, *, resume: bool) -> Generator[tuple[Outbox, World]]:
    """Make the two databases, or open those of an earlier run."""
    if db is not None:
        yield _open(db, resume=resume)
    elif resume:
        msg = "demo: --resume needs --db PATH, the outbox to go on with"
        raise Misuse(msg)
    else:
        with TemporaryDirectory(prefix="effectloop-demo-") as folder:
            yield _open(Path(folder, "outbox.db"), resume=False)


def _open(path: Path, *, resume: bool) -> tuple[Outbox, World]:
    try:
        if path.is_dir():
            msg = f"demo: --db must be a file, and {path} is a folder"
            raise Misuse(msg)
        beside = path.with_name(f"{path.stem}.world{path.suffix}")
        for file in (path, beside):
            if resume and not file.is_file():
                msg = f"demo: --resume needs the files of an earlier run, and there is no {file}"
                raise Misuse(msg)
            if not resume and file.exists():
                msg = f"demo: --db must be a new file, and {file} exists; --resume goes on with it"
                raise Misuse(msg)
        outbox, world = Outbox(path), World(beside)
        world.create()  # first, so that there is never an outbox without its world
        outbox.create()
    except (OSError, sqlite3.Error) as error:
        msg = f"demo: --db must be an SQLite file that can be written, got {path} ({error})"
        raise Misuse(msg) from error
    return outbox, world
