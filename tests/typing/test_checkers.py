"""The type checkers' own verdicts: on the package, on what must type-check here, and on what must not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import effectloop

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent


def told(*command: str) -> str:
    """Answer what a checker says; it must have nothing to complain about.

    It finds this interpreter first on the path: ``--verifytypes`` looks at no other place.
    """
    environ = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    run = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, env=environ
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_mypy_passes_the_package_and_what_is_said_of_it(tmp_path: Path) -> None:
    assert "Success" in told("mypy", "--cache-dir", str(tmp_path))


def test_users_of_mypy_need_no_plugin(tmp_path: Path) -> None:
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = True\n")
    options = ["--config-file", str(tmp_path / "mypy.ini"), "--cache-dir", str(tmp_path)]
    assert "Success" in told("mypy", *options, "tests/typing")


def test_pyright_passes_the_package_and_what_is_said_of_it() -> None:
    assert "0 errors, 0 warnings" in told("pyright", "--pythonpath", sys.executable)


def test_every_public_type_is_known() -> None:
    assert "Type completeness score: 100%" in told(
        "pyright", "--verifytypes", "effectloop", "--ignoreexternal"
    )


@pytest.mark.parametrize("name", effectloop.__all__)
def test_every_public_name_is_in_what_is_said(name: str) -> None:
    texts = [path.read_text() for path in HERE.glob("*.py") if path.name != Path(__file__).name]
    assert any(re.search(rf"\b{name}\b", text.partition("\n)\n")[2]) for text in texts)
