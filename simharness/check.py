"""The flow: a case runs under many schedules, each trial is judged, the verdicts are added up.

    case -> world.run -> trace -> rules.judge + expectations -> verdict -> search -> case result

Every front end calls this module and nothing below it.
"""

from __future__ import annotations

import contextlib
import inspect
from typing import TYPE_CHECKING, Protocol

import attrs

from simharness import rules
from simharness.agent import NotApplicable
from simharness.agents.dressing import Dressed, dressed
from simharness.campaign.ending import ending_key
from simharness.campaign.inquiry import Inquiry, trouble
from simharness.campaign.pairing import has_parity
from simharness.campaign.results import CaseResult, Finding, Identity, SuiteResult
from simharness.campaign.stopping import Stopping, costly
from simharness.campaign.tally import Tally
from simharness.campaign.vetting import mistake
from simharness.choices import ScheduleChooser, on_time
from simharness.expect import expectations
from simharness.search import explore
from simharness.verdict import CaseVerdict, HarnessError, Verdict
from simharness.world.run import Run, batch, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from simharness.agent import Agent, AgentFactory, World
    from simharness.agents.profiles import Projection
    from simharness.campaign.budget import Plan
    from simharness.choices import Chooser, Schedule
    from simharness.contract import Contract
    from simharness.scenario.model import Case
    from simharness.trace import Trace
    from simharness.verdict import Violation

__all__ = ["Bench", "Checker", "check_case", "check_suite", "judge_run"]

REFERENCE = "reference"
"""The agent that `expect` and `violates` describe, under the profile of their case."""


@attrs.frozen
class _Judged:
    """What the trace of a trial says, whichever schedule led to it."""

    violations: tuple[Violation, ...]
    notes: tuple[str, ...]
    occasions: frozenset[str]
    ending: str


def judge_run(
    done: Run,
    case: Case,
    contract: Contract,
    *,
    expects: bool,
    projection: Projection | None = None,
    known: dict[tuple[str, bool], _Judged] | None = None,
) -> Verdict:
    """Judge one trial: every rule the contract allows, and `expect` if it is about this agent.

    `projection` writes records in the words of the case's profile. `known`: what was said of
    earlier traces of the case and agent. Half of the schedules of a search lead to a trace that was
    there before, and judging costs as much as playing.
    """
    key = (done.trace.hash(), on_time(done.course))
    judged = None if known is None else known.get(key)
    if judged is None:
        judged = _judged(done.trace, case, contract, key[1], expects, projection)
        if known is not None:
            known[key] = judged
    return Verdict(
        violations=judged.violations,
        notes=judged.notes,
        occasions=judged.occasions,
        course=done.course,
        trace_hash=key[0],
        ending=judged.ending,
        played=done.played,
        trace=done.trace,
    )


def _judged(
    trace: Trace,
    case: Case,
    contract: Contract,
    timely: bool,
    expects: bool,
    projection: Projection | None,
) -> _Judged:
    judgements = rules.judge(trace, contract, on_time=timely)
    violations = [v for judgement in judgements.values() for v in judgement.violations]
    if expects:
        violations += expectations.compare(case, trace, projection=projection)
    return _Judged(
        violations=tuple(violations),
        notes=tuple(note for judgement in judgements.values() for note in judgement.notes),
        occasions=frozenset(rule for rule, found in judgements.items() if found.occasions),
        ending=ending_key(trace),
    )


@attrs.define(eq=False)
class Bench:
    """Runs one case against one agent, and keeps what the agent said about itself."""

    case: Case
    factory: AgentFactory
    mode: str = "strict"
    agent: Identity | None = attrs.field(init=False, default=None)
    _dressed: Dressed = attrs.field(init=False)
    _known: dict[tuple[str, bool], _Judged] = attrs.field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        self._dressed = dressed(self.factory, self.case.profile, self.case.mutant)

    def trial(self, chooser: Chooser) -> Verdict:
        """Run and judge one trial; raises NotApplicable and HarnessError.

        On the default schedule an agent that can is also run plain, and the pair judged.
        """
        done = run(self.case, self._make, chooser, mode=self.mode)
        if self.agent is None:
            raise HarnessError("a trial ended without making an agent")
        verdict = judge_run(
            done,
            self.case,
            self.agent.contract,
            expects=self.expects,
            projection=self._dressed.projection,
            known=self._known,
        )
        if verdict.schedule or costly(verdict) or not has_parity(self.case, self.agent.contract):
            return verdict
        try:
            plain = run(self.case, self._make, ScheduleChooser(), mode=self.mode, plain=True)
        except NotApplicable:  # a whole answer cannot say what the stream said
            return verdict
        pair = rules.judge_pair(done.trace, plain.trace, self.agent.contract)
        return verdict.joined(pair)

    def replayed(self, findings: Iterable[Finding]) -> list[Finding]:
        """Run each example once more: what does not happen twice must not be called exact."""
        again: dict[Schedule, str] = {}
        checked = []
        for finding in findings:
            schedule = finding.example.schedule
            if schedule not in again:
                again[schedule] = self.trial(ScheduleChooser(schedule)).trace_hash
            same = again[schedule] == finding.example.verdict.trace_hash
            checked.append(attrs.evolve(finding, replayed=same))
        return checked

    @property
    def expects(self) -> bool:
        """Whether `expect` and `violates` are about this agent."""
        case = self.case
        described = (f"mutant:{case.mutant}" if case.mutant else REFERENCE, case.profile or "")
        made = self.agent is not None and (self.agent.name, self.agent.profile)
        return made == described or case.expect.any_agent

    def _make(self, world: World) -> Agent:
        agent = self._dressed.factory(world)
        if self.agent is None:  # all of one factory are alike
            self.agent = Identity(
                agent.name,
                agent.version,
                agent.contract.overridden(self.case.contract),
                agent.cancel_ways,
                agent.style,
                iterates=not inspect.iscoroutinefunction(agent.prompt),
                profile=getattr(agent, "profile", ""),
            )
        return agent


def check_case(
    case: Case,
    factory: AgentFactory,
    plan: Plan,
    *,
    agent: str = "",
    given: frozenset[str] = frozenset(),
) -> CaseResult:
    """Search one case as far as `plan` goes, and say what was found.

    `agent` is the name that replay codes carry (the agent's own if empty). `given` are the files
    that whoever replays has too: a case from elsewhere travels inside its code.
    """
    wrong = mistake(case)
    if wrong:
        return CaseResult(case, CaseVerdict.ERROR, reason=wrong)
    inquiry = Inquiry(case, plan, agent, given)
    bench = Bench(case, factory, inquiry.mode)
    tally = Tally(case)
    exploration = explore(bench.trial, inquiry.strategy(), inquiry.budget)
    stopping = Stopping()
    try:
        with batch():
            for verdict in exploration:
                tally.add(verdict)
                if stopping.after(verdict):
                    break
            tally.check_examples(bench.replayed)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - see `trouble`
        said, reason = trouble(error)
        return CaseResult(case, said, bench.agent, reason=reason)
    return inquiry.result(
        tally, exploration, bench.agent, expects=bench.expects, stopped=stopping.reason
    )


class Checker(Protocol):
    """Checks cases one by one: in this process, or by `simharness.isolate` in others."""

    def expect(self, cases: Sequence[Case], plan: Plan) -> None:
        """Hear which cases will be asked for next, in this order."""
        ...

    def check(self, case: Case, plan: Plan) -> CaseResult:
        """As `check_case`; `plan.total` is what is left of it."""
        ...


@attrs.frozen
class _Here:
    """Checks in this process; the fields are those of `check_case`."""

    factory: AgentFactory
    agent: str
    given: frozenset[str]

    def expect(self, cases: Sequence[Case], plan: Plan) -> None:
        """Nothing can be done ahead."""

    def check(self, case: Case, plan: Plan) -> CaseResult:
        """Check it now."""
        return check_case(case, self.factory, plan, agent=self.agent, given=self.given)


def check_suite(
    cases: Iterable[Case],
    factory: AgentFactory,
    plan: Plan,
    *,
    agent: str = "",
    given: frozenset[str] = frozenset(),
    fail_fast: bool = False,
    excuse: Callable[[CaseResult], CaseResult] = lambda result: result,
    on_result: Callable[[CaseResult], None] = lambda _: None,
    checker: Checker | None = None,
) -> SuiteResult:
    """Check each case in turn until all are done, `plan.total` is spent, or one fails.

    `excuse` may waive findings before they count, `on_result` is called after each case, for
    progress. `checker` checks them elsewhere.
    """
    cases = list(cases)
    here = batch() if checker is None else contextlib.nullcontext()
    checker = checker or _Here(factory, agent, given)
    checker.expect(cases, plan)
    results: list[CaseResult] = []
    skipped = 0
    left = plan.total
    stopped = False
    with here:
        for case in cases:
            if stopped or left == 0:
                skipped += 1
                continue
            rest = attrs.evolve(plan, total=left)
            result = excuse(checker.check(case, rest))
            results.append(result)
            on_result(result)
            left = None if left is None else left - result.trials
            stopped = fail_fast and result.verdict in {CaseVerdict.VIOLATED, CaseVerdict.ERROR}
    return SuiteResult(tuple(results), plan.mode or "strict", skipped)
