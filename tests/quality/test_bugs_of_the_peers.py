"""The three bugs that other tools are measured with: hidden on a stock loop, found soon here."""

from __future__ import annotations

import asyncio

import pytest

from tests.benchmarks.peers.bugs import BUGS
from tests.benchmarks.peers.tools import Simharness, SimharnessDefault, yields

SOON = 50


@pytest.mark.parametrize("name", BUGS)
def test_a_stock_loop_does_not_show_it(name: str) -> None:
    """Every tool begins with a program that passes."""
    asyncio.run(BUGS[name](yields))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", BUGS)
@pytest.mark.parametrize("tool", [Simharness(), SimharnessDefault()], ids=["portfolio", "default"])
def test_it_is_found_within_fifty_trials_and_made_least(tool: Simharness, name: str) -> None:
    """One late arrival is enough for each."""
    found = tool.find(BUGS[name], seed=7)
    assert found.trials is not None
    assert SOON >= found.trials
    assert 1 == found.deviations
