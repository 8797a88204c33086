"""However a stream answers a cancel, the run looks the same: only what it says itself differs."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from simharness.agents.profiles import PROFILES
from simharness.trace import AttemptKept, Record, Reported, StreamEnd
from tests.conformance.playing import play

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simharness.scenario.model import Case, Scenario
    from tests.conformance.playing import Played

    Written = Callable[[Sequence[Record]], list[str]]

OWN = (StreamEnd, AttemptKept)
"""The stream's own records: when it ended, and what came of it."""


def plainly(records: Sequence[Record]) -> list[str]:
    """What the loop reports of itself, in its own words."""
    return [repr(r) for r in records if isinstance(r, Reported) and not isinstance(r, OWN)]


WRITTEN: dict[str, Written] = {"": plainly} | {p.name: p.projection for p in PROFILES}


def reacting(scenarios: tuple[Scenario, ...]) -> list[Case]:
    """The cases that differ from another one in how a stream reacts to a cancel."""
    return [
        case
        for scenario in scenarios
        for case in scenario.cases
        if any(key.startswith("on_cancel") for key in case.values) and case.violates is None
    ]


def without_reaction(case: Case) -> tuple[object, ...]:
    """The scenario of a case and its values, but for how its streams react. Tools react, too."""
    kept = {k: v for k, v in case.values.items() if not k.startswith("on_cancel")}
    return (case.scenario, *kept.items(), repr(case.tools))


def apart(suite: Sequence[Played], written: Written) -> list[str]:
    """The cases that are told in another way than the first with another reaction."""
    groups: dict[object, list[Played]] = defaultdict(list)
    for played in suite:
        groups[without_reaction(played.case)].append(played)
    assert max(map(len, groups.values())) > 1
    different = []
    for first, *others in groups.values():
        wanted = written(records(first))
        different += [other.case.id for other in others if written(records(other)) != wanted]
    return different


def records(played: Played) -> Sequence[Record]:
    """All records of one trial."""
    assert played.verdict.trace is not None
    return played.verdict.trace.records


@pytest.mark.parametrize("profile", WRITTEN)
def test_all_reactions_to_a_cancel_are_told_in_the_same_way(
    scenarios: tuple[Scenario, ...], profile: str
) -> None:
    """In the words of the loop, and under each profile in those of its system."""
    agent = f"reference@{profile}" if profile else "reference"
    assert [] == apart(play(reacting(scenarios), agent), WRITTEN[profile])
