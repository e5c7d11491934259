"""The text of a schedule: the expression that builds it.

Works on every dataclass that keeps the conventions written in node.py, users' own included. A state that
differs from a fresh one is shown in angle brackets, which Python refuses to read back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Final

_OPERATORS: Final = {"_And": ("&", 2), "_Or": ("|", 1)}  # and how tightly each binds
CALL: Final = 3


def expression(node: object) -> str:
    """Answer the expression that builds *node*, followed by its state when that is not fresh."""
    if not is_dataclass(node) or isinstance(node, type):
        return object.__repr__(node)
    name, state = type(node).__name__, state_of(node)
    parameters = [f for f in fields(node) if f.init and not f.metadata.get("state")]
    if name in _OPERATORS:
        symbol, binding = _OPERATORS[name]
        left, right = (getattr(node, f.name) for f in parameters)
        text = f"{operand(left, binding)} {symbol} {operand(right, binding + 1)}"
        return f"({text}){state}" if state else text
    receiver = ""
    if parameters and parameters[0].name in ("of", "left"):
        receiver = f"{operand(getattr(node, parameters.pop(0).name), CALL)}."
    return f"{receiver}{_snake_case(name)}({', '.join(_arguments(node, parameters))}){state}"


def state_of(node: object) -> str:
    """Answer the state fields of *node* that differ from a fresh schedule's, as ``<slot=2>``."""
    if not is_dataclass(node):
        return ""
    values = [(f, getattr(node, f.name)) for f in fields(node) if f.metadata.get("state")]
    changed = [f"{f.name}={_literal(value)}" for f, value in values if value != f.default]
    return f"<{', '.join(changed)}>" if changed else ""


def operand(node: object, binding: int = CALL) -> str:
    """Answer the text of *node*, in parentheses where it binds less tightly than *binding*."""
    _, own = _OPERATORS.get(type(node).__name__, ("", CALL))
    return f"({node!r})" if own < binding and not state_of(node) else repr(node)


def _arguments(node: object, parameters: list[Field[object]]) -> Iterator[str]:
    named = False
    for parameter in parameters:
        value = getattr(node, parameter.name)
        if parameter.metadata.get("variadic"):
            yield from map(_literal, value)
        elif parameter.default is not MISSING and value == parameter.default:
            named = True  # one was left out: those that follow need their names
        elif named or parameter.kw_only:
            yield f"{parameter.name}={_literal(value)}"
        else:
            yield _literal(value)


def _literal(value: object) -> str:
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if callable(value):
        name = getattr(value, "__qualname__", type(value).__qualname__)
        return (
            name if name.isidentifier() or "<" in name else f"<{name}>"
        )  # nothing that eval would read otherwise
    return repr(value)


def _snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name.lstrip("_")).lower()
