"""The OpenTelemetry observers: a span for each iteration, and metrics. They need the extra ``otel``.

Nothing is configured here: spans and metrics go where the process says, and nowhere if it says nothing.
Spans are in real time whatever the loop's clock, since the work's own spans are; metrics are in the seconds
of the loop's clock.
"""

from __future__ import annotations

from contextvars import Token
from time import time_ns
from typing import Final, Literal, NamedTuple, TypeAlias, final

from effectloop.loop.events import (
    Event,
    Identity,
    IterationCancelled,
    IterationDefect,
    IterationFailed,
    IterationStarted,
    IterationSucceeded,
    LoopEnded,
    Observer,
    Waiting,
)
from effectloop.loop.machine import described
from effectloop.loop.outcome import Ended, Reason, TimedOut

try:
    from opentelemetry.context import Context, attach, detach
    from opentelemetry.metrics import Meter, get_meter
    from opentelemetry.trace import (
        INVALID_SPAN,
        Link,
        Span,
        Status,
        StatusCode,
        Tracer,
        get_current_span,
        get_tracer,
        set_span_in_context,
    )
except ImportError:
    _MISSING = "effectloop.observe.opentelemetry needs the extra 'otel' (pip install 'effectloop[otel]')"
    raise ImportError(_MISSING) from None

__all__ = ["measure_events", "trace_events"]

_Answer: TypeAlias = IterationSucceeded | IterationFailed | IterationDefect | IterationCancelled

_BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Seconds between the buckets of a duration; the SDK's own bounds are meant for milliseconds."""


def trace_events(tracer: Tracer | None = None, *, idle: bool = True) -> Observer:
    """Answer an observer that makes a span of each iteration.

    The span is a root span named ``worker loop: NAME``, current while the iteration runs, so that the work's
    own spans are its children, in worker threads too. It is linked to the span in which the loop was started,
    if there is one, and never nested into it. It ends with the iteration; waits are outside. Its attributes:

    - ``meta.type`` is ``worker_loop``, and ``loop_name`` the loop's name;
    - ``result`` is ``success``, ``error``, or ``canceled`` for `TimedOut`, for what the loop's ``cancelled=``
      names, and for an iteration that was cut or abandoned;
    - ``backoff_ms`` is the wait that follows, in whole milliseconds: 0 if there is none, if it only keeps a
      least time between two starts (`Reason.THROTTLE`), and after a stop;
    - ``error`` is the text of a failure or a defect, which is also recorded as an exception and as the span's
      status; ``defect`` is set for a defect; ``warning`` is the text of what canceled.

    One observer serves any number of loops. A late answer is in the logs and metrics, not in a span: that of
    an abandoned iteration has ended with the loop.

    Args:
        tracer: Makes the spans; None means the process's tracer ``effectloop``.
        idle: Whether iterations that found no work have spans too. Their spans are begun all the same and
            never ended, so spans of their own work would lack a parent.
    Raises:
        TypeError: *tracer* is no tracer.
    Source:
        circleci/ex ``worker.Run``: name, fields, results; there ``loop_name`` is a field of the trace.
    Example:
        >>> from effectloop import Worker, log_events
        >>> from effectloop.observe.opentelemetry import measure_events, trace_events
        >>> observe = (log_events, trace_events(idle=False), measure_events())
    """
    given: object = tracer  # the annotation is a promise, not a fact
    if given is not None and not isinstance(given, Tracer):
        msg = f"trace_events: tracer must be a Tracer of OpenTelemetry, got {given!r}"
        raise TypeError(msg)
    return _Spans(get_tracer("effectloop") if tracer is None else tracer, idle=idle)


def measure_events(meter: Meter | None = None) -> Observer:
    """Answer an observer that measures iterations and waits.

    The instruments, each by ``loop_name``:

    - ``worker_loop``, a histogram of the seconds that iterations run, also by ``result`` (as in
      `trace_events`); idle ones and late answers count;
    - ``worker_loop.failures``, a gauge of the failures and defects in a row, 0 after a success;
    - ``worker_loop.planned_wait``, a gauge of the seconds that the present wait is planned to take, 0 while
      there is none.

    Args:
        meter: Makes the instruments; None means the process's meter ``effectloop``.
    Raises:
        TypeError: *meter* is no meter.
    Source:
        circleci/ex ``worker.Run``: the timer ``worker_loop`` with its tags; the gauges are ours.
    Example:
        >>> from effectloop import Worker, log_events
        >>> from effectloop.observe.opentelemetry import measure_events
        >>> observe = (log_events, measure_events())
    """
    given: object = meter  # the annotation is a promise, not a fact
    if given is not None and not isinstance(given, Meter):
        msg = f"measure_events: meter must be a Meter of OpenTelemetry, got {given!r}"
        raise TypeError(msg)
    source = get_meter("effectloop") if meter is None else meter
    durations = source.create_histogram(
        "worker_loop", "s", "How long iterations run.", explicit_bucket_boundaries_advisory=_BOUNDS
    )
    failures = source.create_gauge("worker_loop.failures", "{failure}", "Failures and defects in a row.")
    planned = source.create_gauge("worker_loop.planned_wait", "s", "How long the present wait is to take.")

    def measure(event: Event) -> None:
        loop = {"loop_name": event.loop.name}
        match event:
            case IterationStarted() | LoopEnded():
                planned.set(0.0, loop)
            case Waiting():
                planned.set(event.delay, loop)
            case IterationSucceeded() | IterationFailed() | IterationDefect() | IterationCancelled():
                durations.record(event.duration, loop | {"result": _result(event)})
                if not isinstance(event, IterationCancelled):
                    failures.set(0 if isinstance(event, IterationSucceeded) else event.failures, loop)
            case _:
                pass

    return measure


class _Running(NamedTuple):
    span: Span
    before: Token[Context]


class _Answered(NamedTuple):
    span: Span
    at: int


@final
class _Spans:
    """Makes the spans, and holds those that have not ended.

    They are held by the loop's own `Identity` object, since two loops may have one name. A span is ended at
    the event that follows the iteration's end, with the time of that end: what is decided then is its
    ``backoff_ms``.
    """

    __slots__ = ("_answered", "_idle", "_running", "_tracer")

    def __init__(self, tracer: Tracer, *, idle: bool) -> None:
        self._tracer = tracer
        self._idle = idle
        self._running: dict[int, _Running] = {}
        self._answered: dict[int, _Answered] = {}

    def __call__(self, event: Event) -> None:
        loop = id(event.loop)
        answered = self._answered.pop(loop, None)
        if answered is not None:
            answered.span.set_attribute("backoff_ms", _backoff(event))
            answered.span.end(answered.at)
        match event:
            case IterationStarted():
                self._running[loop] = self._begin(event.loop)
            case IterationSucceeded() | IterationFailed() | IterationDefect() | IterationCancelled():
                running = self._running.pop(loop, None)
                if running is not None:
                    detach(running.before)
                    if self._idle or not _is_idle(event):
                        self._answered[loop] = _Answered(running.span, time_ns())
                        _judge(running.span, event)
            case LoopEnded():
                running = self._running.pop(loop, None)
                if running is not None:
                    self._leave(running, event.ended)
            case _:
                pass

    def _begin(self, loop: Identity) -> _Running:
        owner = get_current_span().get_span_context()
        span = self._tracer.start_span(
            f"worker loop: {loop.name}",
            set_span_in_context(INVALID_SPAN),  # no parent, but the baggage
            attributes={"meta.type": "worker_loop", "loop_name": loop.name},
            links=[Link(owner)] if owner.is_valid else None,
        )
        return _Running(span, attach(set_span_in_context(span)))

    def _leave(self, running: _Running, ended: Ended) -> None:
        """End the span of an iteration whose end is not told: it broke a promise, or was abandoned."""
        span = running.span
        if ended.how == "abandoned":  # told by another task; that of the loop ends with what is current in it
            _cancel(span, "abandoned")
        else:
            detach(running.before)
            _blame(span, ended.error)
        span.set_attribute("backoff_ms", 0)
        span.end()


def _is_idle(event: _Answer) -> bool:
    return isinstance(event, IterationSucceeded) and not event.progress.has_more and not event.cancelled


def _result(event: _Answer) -> Literal["success", "error", "canceled"]:
    if isinstance(event, IterationCancelled):
        return "canceled"
    if isinstance(event, IterationDefect):
        return "error"
    if event.cancelled or (isinstance(event, IterationFailed) and isinstance(event.error, TimedOut)):
        return "canceled"
    return "success" if isinstance(event, IterationSucceeded) else "error"


def _trouble(event: _Answer) -> object:
    if isinstance(event, IterationCancelled):
        return "cancelled before it answered"
    return event.failure if isinstance(event, IterationSucceeded) else event.error


def _judge(span: Span, event: _Answer) -> None:
    """Let *span* say how its iteration ended."""
    result = _result(event)
    if result == "success":
        span.set_attribute("result", result)
    elif result == "canceled":
        _cancel(span, _trouble(event))
    else:
        if isinstance(event, IterationDefect):
            span.set_attribute("defect", True)
        _blame(span, _trouble(event))


def _cancel(span: Span, warning: object) -> None:
    span.set_attributes({"result": "canceled", "warning": described(warning)[1]})


def _blame(span: Span, error: object) -> None:
    text = described(error)[1]
    span.set_attributes({"result": "error", "error": text})
    span.set_status(Status(StatusCode.ERROR, text))
    if isinstance(error, BaseException):
        span.record_exception(error)
    else:
        span.add_event("exception", {"exception.type": type(error).__name__, "exception.message": text})


def _backoff(event: Event) -> int:
    if isinstance(event, Waiting) and event.why is not Reason.THROTTLE:
        return round(event.delay * 1e9) // 1_000_000
    return 0
