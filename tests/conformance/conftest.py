"""Play the shipped suite on the reference loop once, for all tests of this folder."""

from __future__ import annotations

from functools import cache

import pytest

from simharness.campaign.shipped import suite_folder
from simharness.scenario.load import find_files, load_file
from simharness.scenario.model import Scenario
from tests.conformance.playing import Played, play


@cache
def _scenarios() -> tuple[Scenario, ...]:
    return tuple(load_file(path) for path in find_files([suite_folder()]))


@pytest.fixture(scope="session")
def scenarios() -> tuple[Scenario, ...]:
    """Every scenario of the shipped suite."""
    return _scenarios()


@pytest.fixture(scope="session")
def suite() -> tuple[Played, ...]:
    """Every case of the shipped suite, played on the default schedule."""
    return play(case for scenario in _scenarios() for case in scenario.cases)
