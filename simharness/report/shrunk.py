"""A failure that was made small, for people and for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.campaign.results import Example, Finding
from simharness.report import text
from simharness.report.json import finding_object
from simharness.scenario.annotated import annotated
from simharness.search import in_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simharness.campaign.shrinking import Small

__all__ = ["as_file", "as_object", "as_text", "finding_of"]


def finding_of(small: Small) -> Finding:
    """The failure as a finding: it has a replay code once one was written."""
    example = Example(small.case, small.verdict, small.violation)
    return Finding(
        small.rule,
        small.violation.message,
        1,
        example,
        shrunk=small.schedule,
        explanation=small.explanation,
    )


def as_file(small: Small) -> str:
    """The scenario with its schedule in words, as a file that plays it first."""
    about = f"Breaks {small.rule}: {small.violation.message}"
    return annotated(small.case, in_words(small.verdict.course), about=about, mode=small.mode)


def as_text(
    small: Small,
    finding: Finding,
    sentences: Mapping[str, str],
    *,
    quiet: bool = False,
    verbose: bool = False,
) -> str:
    """The scenario, the schedule in words and as a table, and why nothing smaller was found.

    `quiet`: without the table. `verbose`: with every record of the trial.
    """
    words = [f"  {words}" for words in in_words(small.verdict.course)]
    trace = small.verdict.trace
    agent = f"{small.agent.name} {small.agent.version}".strip()
    return "\n".join(
        [
            annotated(small.case, ()),
            "Schedule in words:" if words else "Schedule: the default order.",
            *words,
            "",
            f"Replay: simharness {finding.replay_words}"
            if quiet
            else text.failure(finding, agent, sentences),
            *(["", trace.text()] if verbose and trace is not None else []),
            f"Scenario: {small.scenario}.",
            f"Schedule: {small.schedule}.",
            f"Stopped after {small.trials:,} trials: {_why(small)}",
        ]
    )


def as_object(small: Small, finding: Finding) -> dict[str, object]:
    """The same as JSON; no clock is in it."""
    return {
        "case": small.case.id,
        "agent": {"name": small.agent.name, "version": small.agent.version},
        "stopped": _why(small),
        "trials": small.trials,
        "scenario_stopped": small.scenario,
        "schedule_stopped": small.schedule,
        "schedule": [str(words) for words in in_words(small.verdict.course)],
        **finding_object(finding),
        "scenario": annotated(small.case, ()),
        "file": as_file(small),
    }


def _why(small: Small) -> str:
    return "least (proved)" if small.why == "least" else str(small.why)
