"""However a stream answers a cancel, the run looks the same: only what it says itself differs."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import attrs
import pytest

from simharness.agents import find
from simharness.agents.mutants import find_mutant
from simharness.agents.profiles import PROFILES
from simharness.trace import (
    AgentEnd,
    AttemptKept,
    CancelCalled,
    LogRow,
    Record,
    Reported,
    StreamEnd,
)
from tests.conformance.playing import play

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simharness.scenario.model import Case, Scenario
    from tests.conformance.playing import Played

    Written = Callable[[Sequence[Record]], list[str]]

OWN = (StreamEnd, AttemptKept)
"""The stream's own records: when it ended, and what came of it."""


def plainly(records: Sequence[Record]) -> list[str]:
    """What the loop reports of itself, in its own words, but for what the stream says it used."""
    told = [r for r in records if isinstance(r, Reported) and not isinstance(r, OWN)]
    counting = (LogRow, AgentEnd)
    return [repr(attrs.evolve(r, usage=None) if isinstance(r, counting) else r) for r in told]


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
        if any(isinstance(record, CancelCalled) for record in records(played)):
            groups[without_reaction(played.case)].append(played)
    assert max(map(len, groups.values())) > 1
    different = []
    for first, *others in groups.values():
        wanted = by_run(first, written)
        different += [other.case.id for other in others if by_run(other, written) != wanted]
    return different


def by_run(played: Played, written: Written) -> list[list[str]]:
    """What is told of each run: which of two that go on side by side ends first is free."""
    told = records(played)
    runs = sorted({record.run for record in told})
    return [written([record for record in told if record.run == run]) for run in runs]


def records(played: Played) -> Sequence[Record]:
    """All records of one trial."""
    assert played.verdict.trace is not None
    return played.verdict.trace.records


@pytest.mark.parametrize("profile", WRITTEN)
def test_all_reactions_to_a_cancel_are_told_in_the_same_way(
    scenarios: tuple[Scenario, ...], profile: str
) -> None:
    """In the words of the loop, and under each profile in those of its system."""
    agent = find(f"reference@{profile}" if profile else "reference")
    assert [] == apart(play(reacting(scenarios), agent), WRITTEN[profile])


def test_a_loop_that_believes_its_stream_tells_of_its_reactions(
    scenarios: tuple[Scenario, ...],
) -> None:
    """A fault shows: such a loop ends as its stream says."""
    believing = find_mutant("the-report-decides").factory
    assert "cancel-from-request[on_cancel=finish]" in apart(
        play(reacting(scenarios), believing), plainly
    )
