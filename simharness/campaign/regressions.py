"""Failures that are kept: one scenario file each, with its schedule in words, replayed first.

As a database of examples they are a memory of this folder and no part of the tests: anybody may
delete them. To keep one for good, move it among your own scenarios.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from simharness.campaign.stopping import costly
from simharness.report.atomic import write_text
from simharness.scenario.annotated import annotated
from simharness.scenario.find import SUFFIX
from simharness.scenario.load import load_file
from simharness.scenario.model import Explore
from simharness.scenario.problems import ScenarioError
from simharness.search import in_words
from simharness.verdict import CaseVerdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simharness.campaign.results import CaseResult, Finding, SuiteResult
    from simharness.scenario.model import Case

__all__ = ["FOLDER", "files", "joined", "keep", "known"]

FOLDER: Final = Path(".simharness/regressions")
"""Where they are kept, seen from the working directory; a folder for each agent."""

_STRATEGY: Final = "schedule"


def files(agent: str) -> list[Path]:
    """The files of an agent, in order of their names."""
    folder = _folder(agent)
    return sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else []


def keep(causes: Iterable[Finding], agent: str, mode: str) -> list[Path]:
    """Write a file for each cause, whole or not at all; one that is there already is renewed.

    `mode` is that of the search, if it was not left to the scenario.
    What does not happen twice, and what ended its process, is not kept: nobody wants it first.
    """
    kept = []
    for cause in causes:
        if cause.replayed and not costly(cause.example.verdict):
            path = _folder(agent) / _name(cause.example.case, cause.rule)
            write_text(path, _text(cause, mode))
            kept.append(path)
    return kept


def known(cases: Sequence[Case], agent: str) -> list[Case]:
    """Those of `cases` that failed before, each with the schedule under which it did.

    The text is that of today: only the schedule is taken from the file. A file that cannot be read
    any more is passed over; `run --regressions` says what is wrong with it.
    """
    today = {case.id: case for case in cases}
    names = {case.scenario for case in cases}
    found = []
    for file in files(agent):
        if not any(file.name.startswith(f"{name}--") for name in names):
            continue
        try:
            loaded = load_file(file).cases
        except ScenarioError:
            continue
        found += [
            attrs.evolve(
                today[old.id],
                schedule=old.schedule,
                mode=old.mode,
                explore=Explore(strategy=_STRATEGY),
            )
            for old in loaded
            if old.id in today
        ]
    return found


def joined(suite: SuiteResult, again: SuiteResult) -> SuiteResult:
    """`suite` with what `again`, the replay of `known` cases, shows and its search missed."""
    missed: dict[str, list[Finding]] = {}
    seen = {(r.case.id, f.rule, f.message) for r in suite.results for f in r.findings}
    for result in again.results:
        for found in result.findings:
            if (result.case.id, found.rule, found.message) not in seen:
                missed.setdefault(result.case.id, []).append(found)
    results = (_with(result, missed.get(result.case.id, [])) for result in suite.results)
    return attrs.evolve(suite, results=tuple(results))


def _with(result: CaseResult, found: Sequence[Finding]) -> CaseResult:
    if not found:
        return result
    return attrs.evolve(result, verdict=CaseVerdict.VIOLATED, findings=(*result.findings, *found))


def _folder(agent: str) -> Path:
    return FOLDER / (re.sub(r"[^A-Za-z0-9_.-]+", "-", agent) or "-")


def _name(case: Case, rule: str) -> str:
    digest = hashlib.blake2b(f"{case.id} {rule}".encode(), digest_size=3).hexdigest()
    return f"{case.scenario}--{rule}-{digest}{SUFFIX}"


def _text(cause: Finding, mode: str) -> str:
    example = cause.example
    return annotated(
        example.case,
        in_words(example.verdict.course),
        about=f"Breaks {cause.rule}: {cause.message}",
        strategy=_STRATEGY,
        mode=mode,
    )
