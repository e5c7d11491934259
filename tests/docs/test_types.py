"""The examples of the pages pass both strict type checkers; the reference's doctests only run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from doctest import DocTestParser
from pathlib import Path

import pytest

from tests.docs.pages import NAMES, ROOT, blocks


def program(name: str) -> str:
    """Answer all ``python`` blocks of the page *name* as one module, doctests without their prompts."""
    parts = (
        "".join(example.source for example in DocTestParser().get_examples(block))
        if ">>>" in block
        else block
        for block in blocks(name, "python")
    )
    return "\n".join(parts)


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    for name in NAMES:
        if not name.startswith("docs/reference/"):
            (tmp_path / re.sub(r"\W", "_", name)).with_suffix(".py").write_text(program(name))
    return tmp_path


def test_examples_pass_mypy_without_a_plugin(programs: Path) -> None:
    (programs / "mypy.ini").write_text(f"[mypy]\nstrict = True\ncache_dir = {programs}/cache\n")
    command = [sys.executable, "-m", "mypy", "."]
    told = subprocess.run(command, cwd=programs, capture_output=True, text=True)
    assert told.returncode == 0, told.stdout + told.stderr


def test_examples_pass_pyright(programs: Path) -> None:
    settings = {
        "include": ["."],
        "extraPaths": [str(ROOT)],
        "pythonVersion": "3.11",
        "typeCheckingMode": "strict",
        "reportUnusedExpression": False,  # a doctest shows what it evaluates
    }
    (programs / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "-p", "."]
    told = subprocess.run(command, cwd=programs, capture_output=True, text=True)
    assert told.returncode == 0, told.stdout + told.stderr
