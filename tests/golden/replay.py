"""Replaying recorded cases with our schedules, and finding what explains a disagreement.

A case agrees, or it is explained by the rows of `differences.json`: nothing is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from effectloop.core.node import Tick
from effectloop.core.schedule import Continue, Done
from tests.golden.build import CALENDARS, EFFECT_3, EFFECT_4, OF_TWO, AnySchedule, Word, build, nodes
from tests.golden.effect import DIFFERENCES_3, DIFFERENCES_4, UNION, Died, Difference, Draws
from tests.golden.values import Json, Value, number, same, value

HERE = Path(__file__).parent
Make = Callable[[], AnySchedule]


def load(name: str) -> Json:
    return json.loads((HERE / name).with_suffix(".json").read_text())


@dataclass(frozen=True)
class Effect:
    """One of the two Effects: what its words mean in ours, and where it differs on purpose."""

    words: dict[str, Word]
    differences: list[Difference]

    def schedule(self, tree: Json, said_its_way: Iterable[Difference] = ()) -> AnySchedule:
        """Answer our schedule for *tree*, the words of some differences having Effect's own meaning."""
        differences = list(reversed(list(said_its_way)))

        def meaning(node: Json) -> Word:
            op = node["op"]
            return next((d.words[op] for d in differences if op in d.words and d.when(node)), self.words[op])

        return build(tree, meaning)

    def concerning(self, tree: Json) -> list[Difference]:
        """Answer the differences that could show in *tree*."""
        return [d for d in self.differences if any(n["op"] in d.words and d.when(n) for n in nodes(tree))]


def first_differences() -> list[Json]:
    """Answer what Effect 3 does where it first differs from Effect 4 in a case recorded of that, as cases."""
    recorded = {case["id"]: case for case in load("schedules_v4")["cases"]}
    cases: list[Json] = []
    for row in load("v3_v4_diff")["cases"]:
        for kind in ("output", "decision"):
            if "v3" in row.get(kind, {}) and row["id"] in recorded:
                steps, at = recorded[row["id"]]["steps"], row[kind]["step"]
                before = [step | {"unchecked": True} for step in steps[:at]]
                last = row[kind]["v3"] if kind == "decision" else steps[at] | {"out": row[kind]["v3"]}
                cases.append(
                    {"id": f"{row['id']}/{kind}-of-v3", "expr": row["expr_v3"], "steps": [*before, last]}
                )
    return cases


EFFECTS = {3: Effect(EFFECT_3, DIFFERENCES_3), 4: Effect(EFFECT_4, DIFFERENCES_4)}


@dataclass(frozen=True)
class Disagreement:
    """The step of a case that we decide otherwise, and our schedule before it (none if it was refused)."""

    step: Json
    schedule: AnySchedule | None


def disagreement(make: Make, case: Json) -> Disagreement | None:
    """Answer the first step of *case* that the schedule decides otherwise."""
    return _of_a_run(make, case) if "outputs" in case else _of_steps(make, case["steps"])


def _of_steps(make: Make, steps: list[Json]) -> Disagreement | None:
    try:
        schedule = make()
    except (TypeError, ValueError):
        return Disagreement(steps[0], None)
    start = number(steps[0]["now"])
    for recurrence, step in enumerate(steps):
        now = number(step["now"])
        draws = Draws(step.get("uniforms", []))
        tick = Tick(value(step["input"]), recurrence, (now - start) / 1000, now / 1000, draws)
        try:
            decision = schedule.step(tick)
        except Died:
            return None if "decision" not in step else Disagreement(step, schedule)
        except ValueError:  # an answer of a callback that is no duration
            return Disagreement(step, schedule)
        if not step.get("unchecked") and not _decided(decision, step):
            return Disagreement(step, schedule)
        if isinstance(decision, Done):
            return None
        schedule = decision.rest
    return None


def _decided(decision: Continue[Value, Value] | Done[Value], step: Json) -> bool:
    if "decision" not in step or not same(decision.output, value(step["out"])):
        return False
    if isinstance(decision, Done) or step["decision"] == "done":
        return isinstance(decision, Done) and step["decision"] == "done"
    return same(decision.delay * 1000, number(step["decision"]["delay_ms"]))


def _of_a_run(make: Make, case: Json) -> Disagreement | None:
    """`Schedule.run`: all inputs, each at the moment the schedule waited for, and nothing but outputs."""
    schedule, elapsed, outputs = make(), 0.0, []
    for recurrence, given in enumerate(case["inputs"]):
        wall = case["t0"] / 1000 + elapsed
        decision = schedule.step(Tick(value(given), recurrence, elapsed, wall, 0.5))
        outputs.append(decision.output)
        if isinstance(decision, Done):
            break
        elapsed += decision.delay
        schedule = decision.rest
    return None if same(tuple(outputs), tuple(map(value, case["outputs"]))) else Disagreement(case, None)


LATCHED = UNION.id
INTERVALS = "calendars-are-delays"
NOT_IMITATED = "endless-waits-and-searches"


def explanation(case: Json, version: int) -> set[str]:
    """Answer the rows that explain why *case* is decided otherwise: none when it is not.

    Raises:
        AssertionError: *case* disagrees, and nothing that was decided on purpose explains it.
    """
    effect, tree = EFFECTS[version], case["expr"]

    def disagrees(said_its_way: Iterable[Difference] = ()) -> Disagreement | None:
        return disagreement(lambda: effect.schedule(tree, said_its_way), case)

    if case.get("end") == "hang":
        assert _is_bounded(effect.schedule(tree), case["t0"], case["inputs"])
        return {NOT_IMITATED}
    if not disagrees():
        return set()
    needed = effect.concerning(tree)
    left = disagrees(needed)
    if left:
        latched = disagrees([d for d in needed if d is not UNION])
        return {_beyond_words(case, left, latched)}
    for difference in needed:
        fewer = [d for d in needed if d is not difference]
        if not disagrees(fewer):
            needed = fewer
    return {difference.id for difference in needed}


def _beyond_words(case: Json, left: Disagreement, latched: Disagreement | None) -> str:
    """Answer the row of a disagreement that no node can show: it needs windows, or a state after Done."""
    if latched and re.search(r"_ended=\(|_done=True", repr(latched.schedule)):
        return LATCHED  # Effect asks a side that is done again, and it may have gone on
    combined = (n for n in nodes(case["expr"]) if n["op"] in OF_TWO or n["op"] in ("upTo", "resetAfter"))
    over_calendars = any(m["op"] in CALENDARS for n in combined for m in nodes(n))
    if over_calendars and left.step.get("intervals", [[0, "Infinity"]])[-1][1] != "Infinity":
        return INTERVALS
    endless = case.get("end") == "infinite_delay" or "Infinity" in json.dumps(case["expr"])
    assert endless, f"{case['id']}: decided otherwise, and no difference explains {left}"
    return NOT_IMITATED


def _is_bounded(schedule: AnySchedule, t0: float, inputs: list[Json]) -> bool:
    """Whether a schedule that hangs upstream waits no endless time here."""
    elapsed = 0.0
    for recurrence, given in enumerate(inputs):
        decision = schedule.step(Tick(value(given), recurrence, elapsed, t0 / 1000 + elapsed, 0.5))
        if isinstance(decision, Done):
            return True
        elapsed += decision.delay
        schedule = decision.rest
    return isfinite(elapsed)
