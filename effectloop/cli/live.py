"""What the demo shows of its figures: a live panel in a terminal, plain lines anywhere else."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import IO, Final, TypeAlias, final

from rich.console import Console, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from effectloop.cli.figures import Figures
from effectloop.cli.outbox import Counts

Show: TypeAlias = Callable[[Figures], None]
"""Shows the figures as they are now."""

EVERY: Final = 1.0
"""Seconds between two plain status lines."""

WIDTH: Final = 76
"""Columns of the live panel."""


@contextmanager
def open_view(console: Console) -> Generator[Show]:
    """Answer a function that shows the figures: in place in a terminal, line by line when piped."""
    if console.is_interactive and console.file.isatty():  # a pipe stays plain, whatever FORCE_COLOR says
        with Live(console=console, auto_refresh=False) as live:
            yield lambda figures: live.update(panel(figures), refresh=True)
    else:
        yield PlainLines(console.file).show


@final
class PlainLines:
    """Prints what is new, and how things stand once a second."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._next_status = EVERY

    def show(self, figures: Figures) -> None:
        """Print the lines that are due."""
        while figures.news:
            self._print(*figures.news.popleft())
        if figures.elapsed >= self._next_status:
            self._next_status = (figures.elapsed // EVERY + 1) * EVERY
            self._print(figures.elapsed, status(figures))

    def _print(self, elapsed: float, line: str) -> None:
        print(f"{elapsed:6.1f} s  {line}", file=self._file, flush=True)


def status(figures: Figures) -> str:
    """Say how things stand, in one line."""
    counts = figures.counts
    flow = f"produced {counts.produced}, delivered {counts.sent}, {figures.throughput:.0f} a second"
    return f"{flow}; {state(figures)}"


def state(figures: Figures) -> str:
    """Say what the processor does, and until when."""
    if figures.next_wake is None:
        return figures.state
    return f"{figures.state}, next wake in {max(figures.next_wake - figures.now, 0.0):.1f} s"


def panel(figures: Figures) -> RenderableType:
    """Draw the figures for a terminal."""
    mood = "red" if figures.failures_in_a_row else "green"
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(style="dim")
    table.add_column(ratio=1)
    table.add_row("state", state(figures))
    table.add_row("last result", Text(figures.last_result, style=mood))
    table.add_row("failures in a row", Text(str(figures.failures_in_a_row), style=mood))
    table.add_row("survived", figures.survived)
    table.add_row("throughput", f"{figures.throughput:.0f} messages a second")
    table.add_row("delivered", _bar(figures.counts))
    title = f"effectloop demo: {figures.phase}"
    return Panel(table, title=title, subtitle=f"{figures.elapsed:.1f} s", width=WIDTH, padding=(1, 2))


def _bar(counts: Counts) -> RenderableType:
    """Draw how much of what was produced is delivered."""
    bar = Table.grid(padding=(0, 2), expand=True)
    bar.add_column(ratio=1)
    bar.add_column(justify="right")
    bar.add_row(
        ProgressBar(max(counts.produced, 1), counts.sent, complete_style="green"),
        f"{counts.sent} of {counts.produced}",
    )
    return bar
