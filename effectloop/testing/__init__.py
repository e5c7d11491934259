"""For tests: a virtual clock, and, with the extra ``testing``, strategies and laws for schedules.

`VirtualClock` needs nothing but effectloop. The others need Hypothesis, which is imported when one of them is
asked for and not before.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from effectloop.testing.clock import VirtualClock

if TYPE_CHECKING:
    from effectloop.testing.laws import check_laws
    from effectloop.testing.strategies import runs, schedules, ticks

__all__ = ["VirtualClock", "check_laws", "runs", "schedules", "ticks"]

_HOMES = {"check_laws": "laws", "runs": "strategies", "schedules": "strategies", "ticks": "strategies"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    try:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        msg = f"effectloop.testing.{name} needs the extra 'testing' (pip install 'effectloop[testing]')"
        raise ImportError(msg) from error
