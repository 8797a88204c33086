"""However a stream answers a cancel, the run looks the same: only what it says itself differs."""

from __future__ import annotations

import copy
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from simharness.agents import find
from simharness.agents.mutants import find_mutant
from simharness.agents.profiles import PROFILES, find_profile
from simharness.trace import (
    AgentEnd,
    AttemptKept,
    CancelCalled,
    LogLost,
    LogRow,
    Record,
    Reported,
    StreamEnd,
    TerminalTaken,
)
from tests.conformance.playing import play

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simharness.scenario.model import Case, Scenario
    from tests.conformance.playing import Played

    Written = Callable[[Sequence[Record]], list[str]]

REACTIONS = ("on_cancel", "shape", "end")
"""How values are called that say how a stream reacts; a matrix may give them names of their own."""

OWN = (StreamEnd, AttemptKept)
"""The stream's own records: when it ended, and what came of it."""


def plainly(records: Sequence[Record]) -> list[str]:
    """What the loop reports of itself, in its own words, but for what the stream says it used."""
    return [repr(r) for r in unused(records) if isinstance(r, Reported) and not isinstance(r, OWN)]


def unused(records: Sequence[Record]) -> list[Record]:
    """The same records, as if no stream had said what it used."""
    counting = (LogRow, LogLost, AgentEnd)
    return [without_usage(r) if isinstance(r, counting) else r for r in records]


def without_usage(record: Record) -> Record:
    """A copy, with its place in the trace."""
    bare = copy.copy(record)
    object.__setattr__(bare, "usage", None)
    return bare


WRITTEN: dict[str, Written] = {"": plainly} | {p.name: p.projection for p in PROFILES}


def reacting(scenarios: tuple[Scenario, ...]) -> list[Case]:
    """The cases that differ from another one in how a stream reacts to a cancel."""
    return [
        case
        for scenario in scenarios
        for case in scenario.cases
        if any(map(reacts, case.values)) and case.violates is None
    ]


def reacts(key: str) -> bool:
    """Whether a value of the matrix is one of how a stream reacts."""
    return key.startswith(REACTIONS)


def without_reaction(case: Case) -> tuple[object, ...]:
    """The scenario of a case and its values, but for how its streams react. Tools react, too."""
    kept = {key: value for key, value in case.values.items() if not reacts(key)}
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
    return [written(unused([record for record in told if record.run == run])) for run in runs]


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
    suite = play(reacting(scenarios), agent)
    if profile and find_profile(profile).contract.foreign_abort_after_cancel == "failure":
        suite = tuple(played for played in suite if not aborted_for_another_reason(played))
    assert [] == apart(suite, WRITTEN[profile])


def aborted_for_another_reason(played: Played) -> bool:
    """Whether a stream answered a cancel by an abort of the provider's own, which may be told."""
    return any(
        isinstance(record, TerminalTaken)
        and (record.kind, record.answering) == ("aborted", True)
        and record.detail not in {"", "user"}
        for record in records(played)
    )


def test_a_loop_that_believes_its_stream_tells_of_its_reactions(
    scenarios: tuple[Scenario, ...],
) -> None:
    """A fault shows: such a loop ends as its stream says."""
    believing = find_mutant("the-report-decides").factory
    assert "cancel-from-request[on_cancel=finish]" in apart(
        play(reacting(scenarios), believing), plainly
    )
