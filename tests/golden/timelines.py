"""Recorded timelines of the two loops, and the rules that turn them into what we promise.

A timeline is a list of events in the order in which they happened, in one vocabulary for both loops; times
are in milliseconds. A recorded one is translated into it (by the test of its loop), then rewritten by the
rules: one for each deliberate difference, named as its row in `differences.json`. What our loop then does,
written down in a `Diary`, must be that and nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import zip_longest

from returns.result import Result

from effectloop.drivers.clock import Clock
from effectloop.loop.events import (
    Event,
    IterationCancelled,
    IterationDefect,
    IterationFailed,
    IterationStarted,
    IterationSucceeded,
    LoopEnded,
    Observer,
    Waiting,
)
from effectloop.loop.outcome import Ended, Progress
from effectloop.observe.logging import log_events
from tests.golden.differences import listed, rows
from tests.golden.replay import load
from tests.golden.values import TOLERANCE, Json

Timeline = list[Json]
Pages = list[tuple[float, logging.LogRecord]]
Rule = Callable[[Json, Timeline], Timeline]
Answer = Result[Progress, object]

STREAMS = {
    "iteration_start": "loop",
    "iteration_end": "loop",
    "wait": "loop",
    "loop_end": "loop",
    "log": "logs",
    "raised": "owner",
    "start": "calls",
    "shutdown": "calls",
    "close_scope": "calls",
    "is_running": "answers",
    "span": "spans",
}
"""What is compared, event by event in order, and in which stream: the originals let their fibers race."""

ASKED = ("shutdown", "shutdown_from_inside")
STOPS = (*ASKED, "close_scope")
BY_THE_LOOP = ("iteration_start", "iteration_end", "wait", "log", "loop_end", "raised")


def promised(case: Json, timeline: Timeline, rules: Mapping[str, Rule]) -> tuple[Timeline, set[str]]:
    """Answer what we promise where *timeline* was recorded, and the rules that made it another."""
    altered = set[str]()
    for id, rule in rules.items():
        rewritten = rule(case, timeline)
        if rewritten != timeline:
            altered.add(id)
            timeline = rewritten
    return timeline, altered


def hold(case: Json, part: str, altered: set[str], original: str) -> None:
    """Hold that the rows of *original* that name *case* are the rules that altered it.

    Cases of another part than the one in this folder are named by no row: there a row's rule is enough.
    """
    its_rows = {row["id"] for row in rows() if row["original"] == original}
    named = listed().get(case["id"], set()) & its_rows
    assert altered <= its_rows
    if part == "open" or named:
        assert altered == named, (
            f"{case['id']}: altered by {altered or 'nothing'}, listed in {named or 'no row'}"
        )


def hold_all(original: str, rules: set[str], files: list[str]) -> None:
    """Hold that the rows of *original* are its *rules* and name recorded cases, and that no case is lost."""
    listing = [row for row in rows() if row["original"] == original]
    assert {row["id"] for row in listing} == rules
    recorded = [load(name) for name in files]
    ids = [case["id"] for file in recorded for case in file["cases"]]
    assert len(ids) == len(set(ids)) == sum(file["meta"]["cases_total"] for file in recorded)
    if all(file["meta"]["part"] == "open" for file in recorded):
        assert {case for row in listing for case in row["cases"]} <= set(ids)


def unlike(ours: Timeline, promised: Timeline) -> list[str]:
    """Answer where two timelines differ by more than the tolerance, a line for each stream."""
    lines = list[str]()
    for stream in sorted(set(STREAMS.values())):
        kinds = [kind for kind, its in STREAMS.items() if its == stream]
        pairs = zip_longest(_only(kinds, ours), _only(kinds, promised))
        lines += [f"{stream}: {us}, promised {them}" for us, them in pairs if not _same(us, them)][:1]
    return lines


def _only(kinds: Iterable[str], timeline: Timeline) -> Timeline:
    return [event for event in timeline if event["event"] in kinds]


def _same(ours: object, theirs: object) -> bool:
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return ours.keys() == theirs.keys() and all(_same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return ours is theirs
    if isinstance(ours, float | int) and isinstance(theirs, float | int):
        return abs(ours - theirs) <= TOLERANCE
    return ours == theirs


# What rules are made of.


def step_of(case: Json, n: int) -> Json:
    """Answer what the script of *case* says of the iteration *n*."""
    script = case["script"]
    return script[n] if n < len(script) else case["then"]


def first(timeline: Timeline, kinds: Iterable[str], after: int = -1) -> int | None:
    """Answer where the first event of one of *kinds* is, behind the index *after*."""
    return next((at for at, e in enumerate(timeline) if at > after and e["event"] in kinds), None)


def doing(timeline: Timeline, at: int) -> str | None:
    """Answer what the loop did last before *at*; None when it had not begun."""
    done = _only(("iteration_start", "iteration_end", "wait", "loop_end"), timeline[:at])
    return done[-1]["event"] if done else None


def ended(timeline: Timeline, at: int, time: float, how: str) -> Timeline:
    """Answer *timeline* with the loop ended at this index and time; whoever waits for it is answered."""
    rest = [event for event in timeline[at:] if event["event"] not in BY_THE_LOOP]
    events = [*timeline[:at], {"t": time, "event": "loop_end", "how": how}, *rest]
    return [event | {"end": _answered(event, time)} if "end" in event else event for event in events]


def _answered(call: Json, time: float) -> float:
    """Answer when *call* returns, if the loop ends at *time*."""
    end: float | None = call["end"]
    return max(call["t"], time) if end is None or end > time else end


# Rules for both loops.


def a_wait_of_zero_is_no_event(_: Json, timeline: Timeline) -> Timeline:
    return [event for event in timeline if event["event"] != "wait" or event["ms"] > 0]


def no_pacing_after_a_stop(_: Json, timeline: Timeline) -> Timeline:
    stop = first(timeline, ASKED)
    wait = None if stop is None else first(timeline, ["wait"], after=stop)
    if wait is None:
        return timeline
    return ended(timeline, wait, timeline[wait]["t"], "drained")


# What our loop did.


class Diary:
    """Writes down what a loop does, what it tells, and what it logs, loud and quiet."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._is_open = True
        self.events: Timeline = []
        self.ended = Ended("drained", None, 0, None)  # what a loop that never began answers
        self.loud: Pages = []
        self.quiet: Pages = []
        self.observe: tuple[Observer, ...] = (
            self._observe,
            partial(log_events, quiet=False, logger=self._logger(self.loud)),
            partial(log_events, logger=self._logger(self.quiet)),
        )

    def now(self) -> float:
        return self._clock.monotonic() * 1000

    def write(self, event: str, **facts: object) -> Json:
        """Write down that *event* happens now."""
        entry = {"t": self.now(), "event": event} | facts
        if self._is_open:
            self.events.append(entry)
        return entry

    def close(self) -> None:
        """Write down nothing more: the recording ended."""
        self._is_open = False

    def quiet_tells_the_same(self) -> bool:
        """Tell whether both kept the same records, the quiet one at its own levels and between its notes."""

        def told(pages: Pages) -> list[object]:
            return [
                (t, record.getMessage(), vars(record).get("error"))
                for t, record in pages
                if record.levelno != logging.INFO
            ]

        return told(self.loud) == told(self.quiet)

    def _observe(self, event: Event) -> None:
        match event:
            case IterationStarted(iteration=n):
                self.write("iteration_start", n=n - 1)
            case IterationSucceeded(iteration=n, progress=progress):
                self.write("iteration_end", n=n - 1, result="ok", more=progress.has_more)
            case IterationFailed(iteration=n):
                self.write("iteration_end", n=n - 1, result="fail")
            case IterationDefect(iteration=n):
                self.write("iteration_end", n=n - 1, result="die")
            case IterationCancelled(iteration=n):
                self.write("iteration_end", n=n - 1, result="interrupted")
            case Waiting(delay=delay):
                self.write("wait", ms=delay * 1000)
            case LoopEnded(ended=ended):
                self.write("loop_end", how=ended.how)
                self.ended = ended
            case _:
                pass

    def _logger(self, pages: Pages) -> logging.Logger:
        def keep(record: logging.LogRecord) -> bool:
            if self._is_open:
                pages.append((self.now(), record))
            return False

        logger = logging.Logger("a diary", logging.DEBUG)
        logger.addFilter(keep)
        return logger


def by_time(draws: Iterable[tuple[float, float]]) -> Callable[[float], float]:
    """Answer the draws that were recorded, by the virtual time in seconds; elsewhere nothing is spread.

    The originals draw once a sleep, we once a tick.
    """
    known = list(draws)
    return lambda now: next((u for t, u in known if abs(t - now * 1000) <= TOLERANCE), 0.5)
