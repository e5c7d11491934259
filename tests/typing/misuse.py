"""What type checkers must refuse; an error that goes away fails `test_checkers.py`, as an ignore too many."""

# pyright: reportUnnecessaryTypeIgnoreComment=true
# Both read the same comments: mypy with their codes, pyright without.

from __future__ import annotations

from effectloop import (
    BackgroundProcessor,
    Outcome,
    Progress,
    Schedule,
    Tick,
    background_pacing,
    delays,
    exponential,
    forever,
    in_thread,
    limited,
    recur_while,
    recurs,
    route,
    run_loop,
    spaced,
    trace,
)


def is_small(number: int) -> bool:
    return number < 3


def kind(number: int) -> str:
    return "odd" if number % 2 else "even"


small = recur_while(is_small)

# An input that does not fit.

small.step(Tick("text", 0, 0.0, 0.0, 0.5))  # type: ignore[arg-type]
trace(small, ["text"])  # type: ignore[misc]
delays(small, 3)  # type: ignore[arg-type]
any_input: Schedule[object, int] = small  # type: ignore[assignment]

# A composition that cannot be.

exponential(1) & 3  # type: ignore[operator]
exponential(1).and_then(forever)  # type: ignore[call-overload]
spaced(1).map(str).compose(small)  # type: ignore[arg-type]
route(kind, {3: spaced(1)})  # type: ignore[arg-type]

# An output that is misused.

number: str = trace(recurs(3), [None])[0].output  # type: ignore[assignment]
recurs(3).map(len)  # type: ignore[arg-type]

# Parameters of the wrong kind.

exponential("1")  # type: ignore[arg-type]
recurs(2.5)  # type: ignore[arg-type]
spaced(1).up_to(3)  # type: ignore[call-arg]

# Loops.


async def coroutine() -> Progress:
    return Progress(has_more=False)


def plain() -> Progress:
    return Progress(has_more=False)


async def main() -> None:
    await run_loop(coroutine, background_pacing(1))  # type: ignore[arg-type]
    await run_loop(plain, background_pacing(1))  # type: ignore[arg-type]


BackgroundProcessor(plain, name="p", interval=1)  # type: ignore[arg-type]
in_thread(plain)  # type: ignore[arg-type]
limited(coroutine, 3)  # type: ignore[arg-type]
Progress("yes")  # type: ignore[arg-type]
paces_numbers: Schedule[Outcome[int], object] = small  # type: ignore[assignment]
