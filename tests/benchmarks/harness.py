"""Interleaved lanes: A B C, C B A, A B C ..., and the median of each lane's ratio to the floor in its own
round.

Slow drift of a machine hits all lanes of a round alike, so the ratios say more than the times do. The spread
of a lane (the distance of its quartiles, as a share of its median) shows how noisy the machine was.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Lane: TypeAlias = Callable[[int], Awaitable[None]]
"""Does one thing so many times."""

ROUNDS = 9


@dataclass(frozen=True, slots=True)
class Row:
    """What one lane took: microseconds each, how noisy, and how many times the floor."""

    lane: str
    microseconds: float
    spread: float
    ratio: float


async def measure(lanes: Mapping[str, Lane], times: int, rounds: int = ROUNDS) -> list[Row]:
    """Answer a row a lane; the first lane is the floor."""
    taken: dict[str, list[float]] = {name: [] for name in lanes}
    for lane in lanes.values():
        await lane(max(times // 10, 1))  # warm up
    for round_ in range(rounds):
        for name in list(lanes) if round_ % 2 == 0 else reversed(lanes):
            gc.collect()
            began = time.perf_counter()
            await lanes[name](times)
            taken[name].append((time.perf_counter() - began) / times * 1e6)
    return list(_rows(taken))


def _rows(taken: Mapping[str, list[float]]) -> Iterator[Row]:
    floor = next(iter(taken.values()))
    for name, values in taken.items():
        low, median, high = statistics.quantiles(values, n=4)
        ratios = [value / base for value, base in zip(values, floor, strict=True)]
        yield Row(name, median, (high - low) / median, statistics.median(ratios))


def table(title: str, rows: list[Row]) -> str:
    """Answer the rows as a Markdown table."""
    lines = [f"### {title}", "", "| lane | µs | spread | ratio |", "|---|---:|---:|---:|"]
    lines += [f"| {row.lane} | {row.microseconds:.3g} | {row.spread:.0%} | {row.ratio:.2f} |" for row in rows]
    return "\n".join(lines) + "\n"
