"""The reference has an entry for every public name and for nothing else."""

from __future__ import annotations

import re
from collections import Counter

import entries

from tests.docs.pages import ROOT

PAGES = sorted((ROOT / "docs/reference").glob("*.md"))
NAMES = [name for module in entries.MODULES for name in module.__all__]
CLASSES = [name for name in NAMES if isinstance(entries.resolved(name), type)]


def entered() -> Counter[str]:
    """Answer the names in the pages' markers, with methods where a class has its own entries for them."""
    markers = [
        name
        for page in PAGES
        for marker in re.findall(r"<!-- names: (.*?) -->", page.read_text())
        for name in marker.split()
    ]
    return Counter(
        full for name in markers for full in (entries.methods(name[:-2]) if name.endswith(".*") else [name])
    )


def test_every_public_name_has_one_entry_and_nothing_else_has() -> None:
    names = Counter(name for name in entered().elements() if "." not in name)
    assert names == Counter(NAMES)


def test_every_public_method_has_one_entry() -> None:
    methods = [method for name in CLASSES for method in entries.methods(name)]
    listed = Counter(name for name in entered().elements() if "." in name)
    handles = [method for method in methods if method.startswith("Worker.")]  # a BackgroundProcessor's
    assert listed == Counter(methods) - Counter(handles)


def test_a_worker_has_the_methods_of_a_background_processor() -> None:
    def names(owner: str) -> list[str]:
        return [method.removeprefix(owner) for method in entries.methods(owner)]

    assert names("Worker") == names("BackgroundProcessor")
