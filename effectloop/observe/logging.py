"""The logging observer: what the original loops log, in the standard library's logging."""

from __future__ import annotations

import logging
from typing import Final

from effectloop.loop.events import (
    Event,
    Identity,
    IterationDefect,
    IterationFailed,
    IterationSucceeded,
    LoopEnded,
    StopAsked,
    StopTimedOut,
)

_LOG: Final = logging.getLogger("effectloop")


def log_events(event: Event, *, quiet: bool = True, logger: logging.Logger | None = None) -> None:
    """Log *event* as the original loops do, quiet on repeats.

    The fields of the originals are in ``extra``: ``service``, ``executor_id``, ``process_name`` (the loop's
    name) and ``error`` (the Failure's own value). By default a failure is a warning when it is the first in a
    row or differs from the one before, and debug when it repeats; a recovery is one info with the count; a
    defect has its traceback; a stop is one info at its start and one at its end. With *quiet* off, exactly
    what the originals log: an error for each failure, nothing for recoveries and stops.

    Args:
        event: What happened.
        quiet: Whether repeats are quiet; set it with `functools.partial`.
        logger: Where to; None means the logger ``effectloop``.
    Source:
        The background processor of a durable-execution engine (on Effect 3): messages, fields, levels.
    Example:
        >>> from functools import partial
        >>> from effectloop import log_events
        >>> observe = (partial(log_events, quiet=False),)
    """
    log = _LOG if logger is None else logger
    loop = event.loop
    match event:
        case IterationFailed(error=error, changed=changed):
            level = (logging.WARNING if changed else logging.DEBUG) if quiet else logging.ERROR
            log.log(level, "Error in iteration effect", extra=_fields(loop, error))
        case IterationDefect(error=error, changed=changed, ends_loop=ends):
            level = logging.DEBUG if quiet and not changed else logging.ERROR
            where = loop.service.replace("-", " ") if ends else "iteration effect"
            log.log(level, "Uncaught error in %s", where, exc_info=error, extra=_fields(loop, error))
        case StopTimedOut():
            log.warning("%s shutdown timed out", _kind(loop).capitalize(), extra=_fields(loop))
        case IterationSucceeded(failures_ended=failures) if quiet and failures:
            log.info("Recovered after %d failures in a row", failures, extra=_fields(loop))
        case StopAsked() if quiet:
            log.info("%s is stopping", _kind(loop).capitalize(), extra=_fields(loop))
        case LoopEnded(ended=ended) if quiet:
            log.info("%s ended: %s", _kind(loop).capitalize(), ended.how, extra=_fields(loop))
        case _:
            pass


def _kind(loop: Identity) -> str:
    return loop.service.replace("-", " ")


def _fields(loop: Identity, *errors: object) -> dict[str, object]:
    fields: dict[str, object] = {
        "service": loop.service,
        "executor_id": loop.executor_id,
        "process_name": loop.name,
    }
    for error in errors:
        fields["error"] = error
    return fields
