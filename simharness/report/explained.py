"""One case as text, stage by stage: the scenario, the schedule, the trace, the verdict.

Everything that a trial is made of, for somebody who wants to understand a single one.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from simharness.plural import plural
from simharness.report import text
from simharness.report.lanes import render
from simharness.report.visible import visible
from simharness.search import in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from simharness.campaign.results import CaseResult, Finding
    from simharness.choices import Point
    from simharness.verdict import Verdict

__all__ = ["Stage", "as_text"]


class Stage(enum.StrEnum):
    """What is to be shown."""

    SCENARIO = "scenario"
    SCHEDULE = "schedule"
    TRACE = "trace"
    VERDICT = "verdict"
    ALL = "all"


def as_text(result: CaseResult, stage: Stage, sentences: Mapping[str, str], *, mode: str) -> str:
    """The stages of the smallest failing trial of a case; of the first trial, if it holds."""
    found = [*result.findings, *result.expected, *result.waived]
    trial = found[0].example.verdict if found else result.sample
    makers = {
        Stage.SCENARIO: lambda: _scenario(result),
        Stage.SCHEDULE: lambda: _schedule(trial, mode),
        Stage.TRACE: lambda: _trace(trial),
        Stage.VERDICT: lambda: _verdict(result, found, trial, sentences),
    }
    wanted = list(makers) if stage is Stage.ALL else [stage]
    blocks = []
    for one in wanted:
        lines = "\n".join(makers[one]())
        blocks.append(f"== {one.upper()}\n{lines}" if stage is Stage.ALL else lines)
    return visible("\n\n".join(blocks))


def _scenario(result: CaseResult) -> Iterator[str]:
    """The case with its matrix values fixed."""
    case = result.case
    yield f"# {case.id}, from {case.place}"
    yield case.source.rstrip("\n")


def _schedule(trial: Verdict | None, mode: str) -> Iterator[str]:
    """Each choice point: what was taken, and what else there was."""
    if trial is None:
        yield "no trial was run"
        return
    taken = len(trial.schedule)
    away = plural(taken, "deviation") if taken else "no deviation"
    yield f"{mode}, {plural(len(trial.course), 'choice point')}, {away} from the default order"
    yield from (f"in words: {words}" for words in in_words(trial.course))
    yield from (_point(number, point) for number, point in enumerate(trial.course))


def _point(number: int, point: Point) -> str:
    others = [o.label for index, o in enumerate(point.options) if index != point.chosen]
    star = "*" if point.chosen else " "
    at = f" (record {point.at})" if point.at >= 0 else ""
    choice = f"{star} point {number}{at}: {point.options[point.chosen].label}"
    return f"{choice}; not {', '.join(others)}" if others else choice


def _trace(trial: Verdict | None) -> Iterator[str]:
    """Every record, as replay codes compare them."""
    if trial is None or trial.trace is None:
        yield "no trial was run"
        return
    yield trial.trace.text()
    yield f"hash {trial.trace_hash}"


def _verdict(
    result: CaseResult,
    found: Sequence[Finding],
    trial: Verdict | None,
    sentences: Mapping[str, str],
) -> Iterator[str]:
    """What was broken and kept, in this trial and over all."""
    agent = result.agent.title if result.agent else "of unknown name"
    yield f"{result.verdict.upper()} {result.case.id}, agent {agent}"
    yield from filter(None, (result.coverage, result.reason))
    yield from (f"never happened: {key}" for key in result.not_exercised)
    if trial is None:
        return
    for finding in found:
        yield ""
        if finding.example.verdict is trial:
            yield text.failure(finding, agent, sentences)
        else:
            yield f"Another trial breaks {finding.rule}: {finding.message}"
            yield f"Replay: simharness {finding.replay_words}"
    if not found and trial.trace is not None:
        yield ""
        yield render(trial.trace, trial.course)
    yield ""
    yield from _rules(trial, sentences)
    yield from (f"note: {note}" for note in result.notes)


def _rules(trial: Verdict, sentences: Mapping[str, str]) -> Iterable[str]:
    broken = trial.broken()
    kept = trial.occasions - broken
    yield from (f"broken: {_demand(rule, sentences)}" for rule in sorted(broken))
    yield from (f"kept: {_demand(rule, sentences)}" for rule in sorted(kept))
    rest = len(sentences.keys() - trial.occasions - broken)
    yield f"{plural(rest, 'rule')} had nothing to judge in this trial"


def _demand(rule: str, sentences: Mapping[str, str]) -> str:
    return f"{rule}: {sentences[rule]}" if rule in sentences else rule
