"""Docstrings as Markdown: the entries of the reference."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import ForwardRef

import effectloop
import effectloop.testing
from effectloop.observe import opentelemetry

MODULES = (effectloop, effectloop.testing, opentelemetry)
"""Where the public names are."""

SECTIONS = ("Args", "Attributes", "Outputs", "Raises", "Laws", "Source", "Example")
OPERATORS = {"__and__": "a & b", "__or__": "a | b"}


def names(arguments: Iterable[str]) -> str:
    """Answer the entries of the names given; ``Name.*`` stands for the public methods of a class."""
    return "\n\n".join(entry(name) for argument in arguments for name in _expanded(argument))


def _expanded(argument: str) -> list[str]:
    owner, star, _ = argument.partition(".*")
    return methods(owner) if star else [argument]


def methods(owner: str) -> list[str]:
    """Answer the public methods and properties of the class *owner* that have a docstring of their own."""
    kind = resolved(owner)
    assert isinstance(kind, type)
    ours = [base for base in kind.__mro__ if base.__module__.startswith("effectloop")]
    found = [name for base in ours for name, member in vars(base).items() if _is_method(name, member)]
    return [f"{owner}.{name}" for name in dict.fromkeys(found)]


def _is_method(name: str, member: object) -> bool:
    is_public = not name.startswith("_") or name in OPERATORS
    return is_public and (callable(member) or isinstance(member, property)) and bool(inspect.getdoc(member))


def resolved(name: str) -> object:
    """Answer what *name* stands for: a public name, or a method of one."""
    owner, _, method = name.partition(".")
    thing = next(getattr(module, owner) for module in MODULES if owner in module.__all__)
    return getattr(thing, method) if method else thing


def title(name: str) -> str:
    """Answer the heading of *name*'s entry."""
    owner, _, method = name.partition(".")
    return OPERATORS.get(method, method if owner == "Schedule" and method else name)


def entry(name: str) -> str:
    """Answer the entry of *name*: heading, signature, and all that its docstring says."""
    thing = resolved(name)
    doc = docstring(name, thing)
    parts = [f"### {title(name)}", f"`{_signature(name, thing)}`", *_blocks(doc)]
    return "\n\n".join(parts)


def docstring(name: str, thing: object) -> str:
    """Answer the docstring of *thing*, or the text below the assignment that makes it."""
    if inspect.isroutine(thing) or isinstance(thing, type | property):
        return inspect.getdoc(thing) or ""
    return _assigned()[name]


@cache
def _assigned() -> dict[str, str]:
    found: dict[str, str] = {}
    for path in Path(effectloop.__file__).parent.rglob("*.py"):
        for statement, text in pairwise(ast.parse(path.read_text()).body):
            match statement, text:
                case (
                    ast.Assign([ast.Name(name)]) | ast.AnnAssign(ast.Name(name)),
                    ast.Expr(ast.Constant(str(doc))),
                ):
                    found[name] = inspect.cleandoc(doc)
                case _:
                    pass
    return found


def _signature(name: str, thing: object) -> str:
    owner, _, method = name.partition(".")
    if isinstance(thing, property):
        return f"{name}: {inspect.get_annotations(thing.fget)['return']}"
    if isinstance(thing, type):
        if inspect.isabstract(thing) or not (_has_parameters(thing) or hasattr(thing, "_fields")):
            return name
        text = _plain(inspect.signature(thing)).removesuffix(" -> None")
        return f"{name}{text}"
    if not callable(thing) or not inspect.isroutine(thing):
        return f"{name} = {thing}" if isinstance(thing, float | tuple) else name
    signature = inspect.signature(thing)
    if not method:
        return f"{name}{_plain(signature)}"
    this, *others = signature.parameters.values()
    receiver = owner if this.annotation is this.empty else this.annotation
    text = _plain(signature.replace(parameters=others))
    if owner == "Schedule":
        receiver = "Schedule[In, Out]" if receiver == owner else receiver
        text = text.replace("Self", "Schedule[In, Out]")
    if method in OPERATORS:
        return f"{receiver} {OPERATORS[method][2]} {others[0].annotation} -> {text.split(' -> ')[1]}"
    prefix = "await " if inspect.iscoroutinefunction(thing) else ""
    return f"{prefix}{receiver}.{method}{text}"


class _Bare(str):
    """An annotation that prints without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def _plain(signature: inspect.Signature) -> str:
    parameters = [
        parameter.replace(annotation=_bare(parameter.annotation), default=_named(parameter.default))
        for parameter in signature.parameters.values()
    ]
    return str(signature.replace(parameters=parameters, return_annotation=_bare(signature.return_annotation)))


def _named(default: object) -> object:
    """Answer a default that prints functions by their names."""
    if isinstance(default, tuple):
        return tuple(map(_named, default))
    return _Bare(default.__name__) if inspect.isfunction(default) else default


def _bare(annotation: object) -> object:
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    return _Bare(annotation) if isinstance(annotation, str) else annotation


def _has_parameters(thing: type) -> bool:
    is_protocol = getattr(thing, "_is_protocol", False)
    return (
        not is_protocol
        and not issubclass(thing, BaseException | Enum)
        and thing.__init__ is not object.__init__
    )


# --- the text


def _blocks(doc: str) -> Iterator[str]:
    heading = re.compile(rf"^({'|'.join(SECTIONS)}):\n", flags=re.MULTILINE)
    before, *sections = heading.split(doc)
    yield from _prose(before)
    for section, body in zip(sections[::2], sections[1::2], strict=True):
        text = textwrap.dedent(body).strip("\n")
        if section == "Example":
            yield f"```python\n{text.rstrip()}\n```"
        elif section in ("Args", "Attributes", "Raises"):
            items = re.split(r"\n(?=\S)", text)
            lines = [f"- {_item(*item.split(': ', 1))}" for item in items if item.strip()]
            yield f"**{section}**\n\n" + "\n".join(lines)
        else:
            yield f"**{section}**: {_flat(text)}"


def _item(name: str, text: str) -> str:
    return f"`{name}`: {_flat(text)}"


def _flat(text: str) -> str:
    return _code(" ".join(text.split()))


def _prose(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if paragraph.startswith("==="):
            yield _table(paragraph.split("\n"))
        elif paragraph.startswith("- "):
            yield "\n".join(f"- {_flat(item[2:])}" for item in re.split(r"\n(?=- )", paragraph))
        elif paragraph:
            yield _flat(paragraph)


def _code(text: str) -> str:
    return re.sub(r"``(.+?)``", r"`\1`", text)


def _table(lines: list[str]) -> str:
    spans = [match.span() for match in re.finditer("=+", lines[0])]
    starts = [start for start, _ in spans]
    ends = [*starts[1:], None]
    rows: list[list[str]] = []
    for line in lines:
        if line.startswith("="):
            continue
        cells = [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
        if cells[0] or not rows:
            rows.append(cells)
        else:
            rows[-1] = [" ".join(filter(None, pair)) for pair in zip(rows[-1], cells, strict=True)]
    head, *body = (
        f"| {' | '.join(_code(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in rows
    )
    return "\n".join([head, "|" + "---|" * len(starts), *body])
