"""The rooms: who may import what, and what the face shows."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import effectloop

ROOT = Path(effectloop.__file__).parent
FACE = "effectloop"
MODULES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}
ROOMS = ["core", "loop", "observe", "drivers", "", "testing", "cli"]  # each imports only from those before it
PURE = {"typing_extensions", "returns.result"}
LATE = {  # imported by the function that needs it, since an extra may be missing
    "effectloop.core.calendar": {"cronsim"},
    "effectloop.cli.main": {"effectloop.cli.app"},
    "effectloop.testing": {"effectloop.testing.laws", "effectloop.testing.strategies"},
}


def room(module: str) -> str:
    return [*module.split("."), ""][1]


def parsed(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def imported(tree: ast.AST) -> Iterator[str]:
    """The modules that the code of *tree* names in imports, wherever they stand."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.module is not None
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in MODULES else node.module


def own(module: str) -> set[str]:
    return {name for name in imported(parsed(module)) if name.split(".")[0] == FACE}


@pytest.mark.parametrize("module", [name for name in MODULES if room(name) in ("core", "loop")])
def test_the_pure_rooms_import_nothing_that_could_touch_the_world(module: str) -> None:
    allowed = PURE | LATE.get(module, set())
    foreign = {
        name
        for name in imported(parsed(module))
        if name.split(".")[0] not in sys.stdlib_module_names and name.split(".")[0] != FACE
    }
    assert foreign <= allowed
    worldly = {"time", "random", "asyncio", "threading", "os", "socket", "logging", "subprocess"}
    assert not worldly & {name.split(".")[0] for name in imported(parsed(module))}


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module: str) -> None:
    below = ROOMS[: ROOMS.index(room(module)) + 1]
    if room(module) == "testing":
        below = [*below, "testing"]
    assert {room(name) for name in own(module)} <= set(below)


@pytest.mark.parametrize("module", [name for name in MODULES if room(name) not in ("testing", "cli")])
def test_the_package_imports_from_the_module_that_defines(module: str) -> None:
    assert FACE not in own(module)


def test_no_imports_go_in_a_circle() -> None:
    order = TopologicalSorter({module: own(module) - {FACE} for module in MODULES}).static_order()
    assert set(order) >= set(MODULES) - {FACE}


@pytest.mark.parametrize("module", MODULES)
def test_no_import_hides_in_a_function_or_from_the_checker(module: str) -> None:
    tree = parsed(module)
    hidden = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.If | ast.ClassDef)
        for name in imported(node)
    }
    if room(module) not in ("core", "loop"):
        hidden = {name for name in hidden if name.split(".")[0] == FACE}
    assert hidden <= LATE.get(module, set())


def test_all_is_sorted_and_names_everything_that_the_face_imports() -> None:
    def order(name: str) -> tuple[int, str]:
        return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)

    names = [
        alias.asname or alias.name
        for node in parsed(FACE).body
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
        for alias in node.names
    ]
    assert effectloop.__all__ == sorted(names, key=order)
    assert len(set(names)) == len(names)


def test_the_face_shows_every_leaf_and_what_a_schedule_answers() -> None:
    leaves = [
        node.name for node in parsed("effectloop.core.leaves").body if isinstance(node, ast.FunctionDef)
    ]
    assert {*leaves, "Schedule", "Continue", "Done", "Tick", "Decision", "Node"} <= set(effectloop.__all__)


def test_a_node_class_is_private_and_named_after_its_constructor() -> None:
    def final_nodes(of: type) -> Iterator[str]:
        for node in of.__subclasses__():
            if node.__module__.startswith("effectloop.core.") and getattr(node, "__final__", False):
                yield node.__name__
            yield from final_nodes(node)

    methods = {name for base in effectloop.Schedule.__mro__ for name in vars(base)}
    names = set(final_nodes(effectloop.Node)) - {"_And", "_Or"}
    assert len(names) > 40
    assert all(name.startswith("_") for name in names)
    snake_case = {re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name).lstrip("_") for name in names}
    assert snake_case <= {*methods, *effectloop.__all__}
