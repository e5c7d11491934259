"""Every page of the documentation, and how its examples run.

A ``python`` block is a doctest, or a program; all blocks of one page share their names. A ``text`` block
right below a program is what that program prints. A ``sh`` block is for people; test_commands.py knows them.
"""

from __future__ import annotations

import doctest
import io
import textwrap
from contextlib import redirect_stdout
from pathlib import Path

from sybil import Document, Example, Sybil
from sybil.parsers.markdown import CodeBlockParser

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
LANGUAGES = {"python", "text", "sh"}


def run(example: Example) -> str | None:
    """Run a ``python`` block, and keep what it prints."""
    if ">>>" in example.parsed:
        return _doctest(example)
    printed = io.StringIO()
    at_its_line = "\n" * example.parsed.line_offset + "\n" * (example.line - 1) + example.parsed
    with redirect_stdout(printed):
        exec(compile(at_its_line, example.path, "exec", dont_inherit=True), example.namespace)
    example.namespace["__printed__"] = printed.getvalue()
    return None


def compare(example: Example) -> str | None:
    """Compare a ``text`` block with what the program above printed."""
    printed = example.namespace.pop("__printed__", None)
    if printed is not None and textwrap.dedent(printed) == example.parsed:  # as blocks are
        return None
    return f"the program above printed:\n{printed}\nand not:\n{example.parsed}"


def _doctest(example: Example) -> str | None:
    test = doctest.DocTestParser().get_doctest(
        example.parsed, example.namespace, "block", example.path, example.line
    )
    test.globs = example.namespace  # the parser made a copy
    report = io.StringIO()
    doctest.DocTestRunner(verbose=False).run(test, out=report.write, clear_globs=False)
    return report.getvalue() or None


def leave(_: Example) -> None:
    """Leave a ``sh`` block alone."""


EXAMPLES = Sybil(
    parsers=[
        CodeBlockParser("python", run),
        CodeBlockParser("text", compare),
        CodeBlockParser("sh", leave),
    ]
)


def document(name: str) -> Document:
    """Read the page *name*."""
    return EXAMPLES.parse(ROOT / name)


def blocks(name: str, language: str) -> list[str]:
    """Answer the code blocks of the page *name* in *language*."""
    parser = CodeBlockParser(language, leave)
    return [str(example.parsed) for example in Sybil(parsers=[parser]).parse(ROOT / name).examples()]
