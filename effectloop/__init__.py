"""Schedules as typed values that compose, and background loops tested without waiting."""

from effectloop.core.calendar import cron
from effectloop.core.duration import MAX_DELAY, Duration
from effectloop.core.leaves import (
    decorrelated,
    during,
    elapsed,
    exponential,
    fibonacci,
    fixed,
    forever,
    from_delays,
    identity,
    linear,
    on_result,
    once,
    recur_until,
    recur_while,
    recurs,
    route,
    spaced,
    stop,
    unfold,
    windowed,
)
from effectloop.core.node import STATE, Decision, Node, Tick
from effectloop.core.schedule import Continue, Done, Schedule
from effectloop.core.simulate import Step, delays, trace
from effectloop.drivers.clock import Clock, SystemClock
from effectloop.drivers.engine import Gate
from effectloop.drivers.limited import limited
from effectloop.drivers.loop import run_loop
from effectloop.drivers.processor import BackgroundProcessor
from effectloop.drivers.stopping import Stopping, stopping
from effectloop.drivers.thread import in_thread
from effectloop.drivers.worker import Worker
from effectloop.loop.events import (
    Event,
    Identity,
    IterationCancelled,
    IterationDefect,
    IterationFailed,
    IterationStarted,
    IterationSucceeded,
    LoopEnded,
    LoopStarted,
    Observer,
    StopAsked,
    StopTimedOut,
    Waiting,
)
from effectloop.loop.outcome import (
    Defect,
    Ended,
    GateError,
    Outcome,
    Progress,
    Reason,
    ShouldBackOff,
    TimedOut,
)
from effectloop.loop.policies import background_pacing, until_due, worker_pacing
from effectloop.loop.status import Status
from effectloop.observe.logging import log_events

__all__ = [
    "MAX_DELAY",
    "STATE",
    "BackgroundProcessor",
    "Clock",
    "Continue",
    "Decision",
    "Defect",
    "Done",
    "Duration",
    "Ended",
    "Event",
    "Gate",
    "GateError",
    "Identity",
    "IterationCancelled",
    "IterationDefect",
    "IterationFailed",
    "IterationStarted",
    "IterationSucceeded",
    "LoopEnded",
    "LoopStarted",
    "Node",
    "Observer",
    "Outcome",
    "Progress",
    "Reason",
    "Schedule",
    "ShouldBackOff",
    "Status",
    "Step",
    "StopAsked",
    "StopTimedOut",
    "Stopping",
    "SystemClock",
    "Tick",
    "TimedOut",
    "Waiting",
    "Worker",
    "background_pacing",
    "cron",
    "decorrelated",
    "delays",
    "during",
    "elapsed",
    "exponential",
    "fibonacci",
    "fixed",
    "forever",
    "from_delays",
    "identity",
    "in_thread",
    "limited",
    "linear",
    "log_events",
    "on_result",
    "once",
    "recur_until",
    "recur_while",
    "recurs",
    "route",
    "run_loop",
    "spaced",
    "stop",
    "stopping",
    "trace",
    "unfold",
    "until_due",
    "windowed",
    "worker_pacing",
]
