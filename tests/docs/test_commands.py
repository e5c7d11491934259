"""The commands of the README are the ones that run."""

from __future__ import annotations

import subprocess
import sys

from tests.docs.pages import NAMES, ROOT, blocks

SETUP = "python3 -m venv .venv && .venv/bin/pip install -q "


def test_the_readme_has_two_commands_of_one_line_each() -> None:
    demo, tests = blocks("README.md", "sh")
    assert demo == f"{SETUP}'.[cli]' && .venv/bin/effectloop demo\n"
    assert tests == f"{SETUP}-e '.[dev]' && .venv/bin/pytest\n"


def test_ci_runs_the_test_command_of_the_readme() -> None:
    _, tests = blocks("README.md", "sh")
    lines = (ROOT / ".ci/run").read_text().splitlines(keepends=True)
    commands = [line for line in lines if not line.startswith("#")]
    assert commands == ["set -eu\n", 'cd "$(dirname "$0")/.."\n', tests]


def test_ci_can_be_executed() -> None:
    assert (ROOT / ".ci/run").stat().st_mode & 0o111 == 0o111


def test_other_pages_show_commands_of_the_package_only() -> None:
    shown = [line for name in NAMES[1:] for block in blocks(name, "sh") for line in block.splitlines()]
    assert {line.split()[0] for line in shown} <= {"pip", "effectloop", ".ci/run", "python", "pytest"}


def test_the_demo_of_the_readme_says_that_nothing_was_lost() -> None:
    command = [sys.executable, "-m", "effectloop.cli.main", "demo", "--seconds", "1"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert shown.returncode == 0, shown.stderr
    assert "lost 0, duplicated 0" in shown.stdout
