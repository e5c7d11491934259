"""The table of the loop's states, printed by asking the state machine itself."""

from __future__ import annotations

from collections.abc import Iterable

from returns.result import Success

from effectloop.core.leaves import spaced
from effectloop.loop.machine import (
    NOTHING,
    Abandon,
    Answer,
    Begin,
    ClockJumped,
    Cut,
    Do,
    End,
    GraceOver,
    Happening,
    Order,
    Phase,
    Raise,
    Reconfigure,
    Rules,
    Signal,
    Sleep,
    State,
    Stop,
    WaitOver,
    Watch,
    fresh,
    never,
    step,
)
from effectloop.loop.outcome import Progress

RULES: Rules[object] = Rules(spaced(5).node, spaced(1).node, "pace", never, never)
ANSWER: Answer[object] = Answer(Success(Progress(has_more=False)), 10.0, 12.0, 12.0, 0.5)

EVENTS: dict[str, Happening[object]] = {
    "the driver is ready": Begin(0.0, 0.0, 0.5),
    "the iteration answered": ANSWER,
    "the wait is over": WaitOver(100.0),
    "stop asked": Stop(15.0, 5.0),
    "triggered": Signal.TRIGGER,
    "paused": Signal.PAUSE,
    "resumed": Signal.RESUME,
    "reconfigured": Reconfigure(spaced(7).node, 12.0, 12.0),
    "the wall clock jumped": ClockJumped(12.0, 99.0),
    "the grace is over": GraceOver(15.0),
    "the cancellation's grace is over": Signal.CANCEL_GRACE_OVER,
    "cancelled from outside": Cut(10.0, 12.0),
    "a promise was broken": Raise(TypeError()),
}


def table(_: Iterable[str]) -> str:
    """Answer what each state makes of each event; events that change nothing are left out."""
    lines = ["| state | event | next state | the driver then |", "|---|---|---|---|"]
    for state in _states():
        for name, event in EVENTS.items():
            after, order = step(RULES, state, event)
            if after != state or order is not Do.KEEP:
                lines.append(f"| {_named(state)} | {name} | {_named(after)} | {_told(order)} |")
    return "\n".join(lines)


def _states() -> list[State[object]]:
    new = fresh(RULES)
    running = new._replace(phase=Phase.RUNNING, iterations=1)
    waiting, _ = step(RULES, running, ANSWER)
    paused = NOTHING._replace(pause=True)
    stopping = running._replace(asked=NOTHING._replace(stop=True))
    return [
        new,
        waiting,
        waiting._replace(asked=paused),
        waiting._replace(phase=Phase.DUE, asked=paused, wait=None),
        running,
        running._replace(asked=paused),
        stopping,
        stopping._replace(phase=Phase.CANCELLING),
        stopping._replace(phase=Phase.ABANDONED),
    ]


def _named(state: State[object]) -> str:
    asked = [name for name, is_asked in zip(state.asked._fields, state.asked, strict=True) if is_asked]
    if state.phase in (Phase.CANCELLING, Phase.ABANDONED, Phase.ENDED):
        asked = []
    return f"{state.phase.name.lower()}{''.join(f', {name}' for name in asked)}"


def _told(order: Order) -> str:
    match order:
        case Do.KEEP:
            return "goes on"
        case Do.RUN:
            return "runs an iteration"
        case Do.CHECKPOINT:
            return "lets other tasks run"
        case Do.SUSPEND:
            return "waits for an order"
        case Do.CANCEL:
            return "cancels the iteration"
        case Sleep():
            return "sleeps"
        case Watch():
            return "keeps the grace"
        case Abandon(ended):
            return f"lets go: {ended.how}"
        case End(ended):
            return f"ends: {ended.how}"
