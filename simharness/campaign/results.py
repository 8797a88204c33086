"""What a check found: values for front ends and reports. Nothing here runs or prints anything."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import attrs

from simharness.campaign.stopping import fatal
from simharness.contract import UNSPECIFIED, Contract
from simharness.verdict import CaseVerdict, ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simharness.agent import CancelWay, Style
    from simharness.campaign.ending import Ending
    from simharness.choices import Schedule
    from simharness.scenario.model import Case
    from simharness.verdict import Verdict, Violation

__all__ = ["CaseResult", "Example", "Finding", "Identity", "SuiteResult", "deepened", "merged"]


@attrs.frozen
class Identity:
    """The agent as it names itself."""

    name: str
    version: str
    contract: Contract = UNSPECIFIED
    cancel_ways: frozenset[CancelWay] = frozenset()
    style: Style | None = None
    iterates: bool = False  # prompt() gives an iterator
    profile: str = ""  # of the reference loop

    @property
    def title(self) -> str:
        """The name by which `--agent` finds it, and its version."""
        name = f"{self.name}@{self.profile}" if self.profile else self.name
        return f"{name} {self.version}".rstrip()


@attrs.frozen(eq=False)
class Example:
    """A trial that shows a violation."""

    case: Case
    verdict: Verdict
    violation: Violation

    @property
    def schedule(self) -> Schedule:
        """The schedule that shows it again."""
        return self.verdict.schedule

    def size(self) -> tuple[int, Schedule]:
        """What makes an example small: few deviations, then early and boring ones."""
        return len(self.schedule), self.schedule


@attrs.frozen(eq=False)
class Finding:
    """One rule broken in one way: `count` interleavings show it, `example` is the smallest.

    `replayed` is False if the example ran differently the second time: the agent is then not
    deterministic under the harness, and the replay code may not reproduce it. `file` is the
    scenario file that a replay needs beside the code; empty if the code is enough. `cases` counts
    the cases that show it. `shrunk` says how far the schedule was made smaller, `explanation` has
    a line for each deviation that is left. `drawn` are the options under which the same search
    draws the same trials again; empty if nothing was drawn at random. `strict` says, of a finding
    of relaxed mode, whether strict mode shows it too.
    """

    rule: str
    message: str
    count: int
    example: Example
    replay: str = ""
    replayed: bool = True
    file: str = ""
    cases: int = 1
    shrunk: str = ""
    explanation: tuple[str, ...] = ()
    drawn: str = ""
    strict: str = ""

    @property
    def replay_words(self) -> str:
        """What is typed behind `simharness` to replay the example."""
        words = ["replay", self.replay, self.file]
        words += ["--isolate"] if fatal(self.example.verdict) else []
        return " ".join(filter(None, words))

    def shows(self, violation: Violation) -> bool:
        """Whether `violation` is of this cause."""
        return (violation.rule, violation.message) == (self.rule, self.message)

    def joined(self, other: Finding) -> Finding:
        """Both findings as one: counts added, the smaller example kept."""
        small = min(self, other, key=lambda finding: finding.example.size())
        count, cases = self.count + other.count, self.cases + other.cases
        return attrs.evolve(small, count=count, cases=cases)


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """One finding per rule and message over many cases, in order of first appearance."""
    groups: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        key = (finding.rule, finding.message)
        groups[key] = groups[key].joined(finding) if key in groups else finding
    return list(groups.values())


@attrs.frozen(eq=False)
class CaseResult:
    """One case over all its trials.

    `findings` break it, `expected` are those it pins, `waived` those it waives. `exhausted_to` is
    the bound up to which every schedule was run. `reason` says why it was not applicable or an
    error, `coverage` in words how far the search got. `sample` is the first trial: the default
    order, unless a schedule in words or a sampler came first; None if nobody will draw it.
    """

    case: Case
    verdict: CaseVerdict
    agent: Identity | None = None
    trials: int = 0
    interleavings: int = 0
    endings: int = 0
    exhausted_to: int | None = None
    not_exercised: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    expected: tuple[Finding, ...] = ()
    waived: tuple[Finding, ...] = ()
    ended: tuple[Ending, ...] = ()
    occasions: frozenset[str] = frozenset()
    reason: str = ""
    coverage: str = ""
    sample: Verdict | None = None


@attrs.frozen(eq=False)
class SuiteResult:
    """All cases of one command. `skipped` were not run: the total was spent or one had failed.

    `remarks` are what a reader should know beside the results, one line each.
    """

    results: tuple[CaseResult, ...]
    mode: str = "strict"
    skipped: int = 0
    remarks: tuple[str, ...] = ()

    @property
    def agent(self) -> Identity | None:
        """The agent, as the first case saw it, if possible one that changes nothing about it."""
        made = [result for result in self.results if result.agent is not None]
        made.sort(key=lambda one: (one.case.mutant is not None, one.case.profile is not None))
        return made[0].agent if made else None

    def causes(self) -> list[Finding]:
        """What breaks the suite, each cause once, the one seen in most cases first.

        The others are often its consequences.
        """
        causes = merged(found for result in self.results for found in result.findings)
        return sorted(causes, key=lambda cause: (-cause.cases, -cause.count))

    def count(self, verdict: CaseVerdict) -> int:
        """How many cases ended so."""
        return sum(result.verdict is verdict for result in self.results)

    def total(self, field: str) -> int:
        """The sum of `trials`, `interleavings` or `endings`."""
        return sum(int(getattr(result, field)) for result in self.results)

    def occasions(self) -> Counter[str]:
        """Rule id -> how many cases gave it something to judge."""
        return Counter(rule for result in self.results for rule in result.occasions)

    def exit_code(self, *, strict_coverage: bool = False) -> ExitCode:
        """What the command exits with; unmet promises count only under `strict_coverage`."""
        if self.count(CaseVerdict.ERROR):
            return ExitCode.BAD_INPUT
        if self.count(CaseVerdict.VIOLATED):
            return ExitCode.BROKEN
        if strict_coverage and any(result.not_exercised for result in self.results):
            return ExitCode.NOT_EXERCISED
        return ExitCode.HOLDS


def deepened(first: CaseResult, second: CaseResult) -> CaseResult:
    """One case searched twice, the second time with more: what both found, each cause once."""
    seen = {(found.rule, found.message): found for found in first.findings}
    for found in second.findings:
        key = (found.rule, found.message)
        if key not in seen or found.example.size() < seen[key].example.size():
            seen[key] = found
    verdict = first.verdict if first.findings else second.verdict
    return attrs.evolve(
        second,
        verdict=verdict,
        trials=first.trials + second.trials,
        interleavings=max(first.interleavings, second.interleavings),
        endings=max(first.endings, second.endings),
        not_exercised=tuple(key for key in second.not_exercised if key in first.not_exercised),
        findings=tuple(seen.values()),
        occasions=first.occasions | second.occasions,
        sample=first.sample or second.sample,
    )
