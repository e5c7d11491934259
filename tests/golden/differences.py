"""The rows of `differences.json`, and the judgment of a case by them."""

from __future__ import annotations

from functools import cache

from tests.golden.replay import explanation, load
from tests.golden.values import Json


@cache
def rows() -> list[Json]:
    listing: list[Json] = load("differences")
    return listing


@cache
def listed() -> dict[str, set[str]]:
    """Answer the rows that name a case, by the id of the case."""
    naming: dict[str, set[str]] = {}
    for row in rows():
        for case in row["cases"]:
            naming.setdefault(case, set()).add(row["id"])
    return naming


def judge(case: Json, version: int, part: str) -> None:
    """Hold that *case* agrees, or that exactly the rows that name it explain why it does not.

    Cases of another part than the one in this folder are named by no row: there a row's rule is enough.
    """
    explained = explanation(case, version)
    named = listed().get(case["id"], set())
    if part == "open" or named:
        assert explained == named, (
            f"{case['id']}: explained by {explained or 'nothing'}, listed in {named or 'no row'}"
        )
    assert explained <= {row["id"] for row in rows()}
