"""Print into the pages whatever the library itself can say: ``python docs/generate.py``.

- a table with the columns ``schedule`` and ``delays`` gets its delays (and ``outputs``, if there is such a
  column) from `effectloop.trace`; the columns ``inputs``, ``work`` and ``draws`` are read, if there are any;
- between ``<!-- names: ... -->`` and ``<!-- end -->`` come the docstrings of these names;
- between ``<!-- states -->`` and ``<!-- end -->`` comes the table of the loop's states;
- between ``<!-- differences: ... -->`` and ``<!-- end -->`` come the rows of tests/golden/differences.json.

A test holds that this changes nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import entries
import states
from returns.result import Failure, Success

import effectloop

ROOT = Path(__file__).resolve().parent.parent
NAMESPACE = {"Success": Success, "Failure": Failure} | vars(effectloop)
"""What an expression in a table may use."""

DIFFERENCES = ROOT / "tests/golden/differences.json"
STEPS = 6
"""How many delays a table shows of a schedule that goes on."""


def pages() -> list[Path]:
    """Answer every page that is printed into, README.md included."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def refreshed(text: str) -> str:
    """Answer the page *text* with everything printed anew."""
    return _sections("\n".join(_lines(text.split("\n"))))


def _sections(text: str) -> str:
    def printed(marker: re.Match[str]) -> str:
        kind, arguments = marker["kind"], marker["arguments"].split()
        body = {"names": entries.names, "states": states.table, "differences": differences}[kind](arguments)
        return f"{marker['open']}\n\n{body}\n\n<!-- end -->"

    section = r"(?P<open><!-- (?P<kind>names|states|differences):?(?P<arguments>[^>]*?) -->)\n.*?<!-- end -->"
    return re.sub(section, printed, text, flags=re.DOTALL)


def differences(originals: Iterable[str]) -> str:
    """Answer the table of the deliberate differences from *originals*."""
    rows = json.loads(DIFFERENCES.read_text())
    lines = ["| what | why | recorded cases |", "|---|---|---|"]
    for row in rows:
        if row["original"] in originals:
            cases = ", ".join(f"`{case}`" for case in row["cases"][:3])
            more = f" and {len(row['cases']) - 3} more" if len(row["cases"]) > 3 else ""
            lines.append(f"| {_cell(row['what'])} | {_cell(row['reason'])} | {cases}{more} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


# --- tables of delays


def _lines(lines: list[str]) -> Iterator[str]:
    columns: list[str] = []
    for line in lines:
        cells = cells_of(line)
        if cells[:1] == ["schedule"] and "delays" in cells:
            columns = cells
        elif not cells:
            columns = []
        elif columns and not set(cells[0]) <= set("-:"):
            line = _row(dict(zip(columns, cells, strict=True)))
        yield line


def cells_of(line: str) -> list[str]:
    """Answer the cells of one line of a table, unescaped; none when it is no such line."""
    if not line.startswith("|"):
        return []
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def _row(row: dict[str, str]) -> str:
    given = {name: _evaluated(row[name]) for name in ("draws", "work") if row.get(name)}
    inputs = _evaluated(row["inputs"]) if row.get("inputs") else [None] * STEPS
    steps = effectloop.trace(_evaluated(row["schedule"]), inputs, **given)
    row["delays"] = ", ".join("done" if step.delay is None else f"{step.delay:g}" for step in steps)
    if "inputs" not in row and steps[-1].delay is not None:
        row["delays"] += ", …"
    if "outputs" in row:
        row["outputs"] = ", ".join(_shown(step.output) for step in steps)
    return f"| {' | '.join(map(_cell, row.values()))} |"


def _evaluated(cell: str) -> Any:
    return eval(cell.strip("`"), dict(NAMESPACE))


def _shown(output: object) -> str:
    return f"{output:g}" if isinstance(output, float) else str(output)


if __name__ == "__main__":
    for page in pages():
        text = page.read_text()
        if refreshed(text) != text:
            page.write_text(refreshed(text))
            print(page.relative_to(ROOT))
