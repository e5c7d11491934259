"""What all tests share: both event loops, and a Hypothesis that draws the same examples every time."""

from __future__ import annotations

import pytest
from hypothesis import settings

settings.register_profile("deterministic", derandomize=True, deadline=None)
settings.load_profile("deterministic")


@pytest.fixture(scope="module", params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> object:
    """Run every test marked with anyio on both event loops; a module may name others, such as uvloop."""
    return request.param
