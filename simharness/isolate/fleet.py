"""The fleet: checks cases in worker processes, with the results that one process would have.

Cases are checked ahead of being asked for, as many as there are workers. A case that ends its
worker is judged by what it did until then; see `postmortem`.
"""

from __future__ import annotations

from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeGuard, cast

import attrs

from simharness.agent import NotApplicable
from simharness.campaign.codes import Codes
from simharness.campaign.reproduce import compared
from simharness.campaign.results import CaseResult
from simharness.campaign.sweeps import plain
from simharness.isolate import duties, postmortem
from simharness.isolate.parcel import moved
from simharness.isolate.pool import Pool
from simharness.isolate.process import Death
from simharness.isolate.telling import Testimony
from simharness.verdict import CaseVerdict, HarnessError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simharness.campaign.budget import Plan
    from simharness.campaign.refine import Refines
    from simharness.campaign.reproduce import Rerun
    from simharness.campaign.results import Finding
    from simharness.campaign.sweeper import Played
    from simharness.campaign.sweeps import Script
    from simharness.isolate.postmortem import Witnessed
    from simharness.isolate.process import Job
    from simharness.isolate.settings import Setup
    from simharness.replay.code import ReplayCode
    from simharness.scenario.model import Case
    from simharness.verdict import Verdict

__all__ = ["Fleet"]

_AHEAD: Final = 4  # cases begun per worker; more would be in vain when a campaign stops early


class Fleet:
    """Worker processes for one campaign; a context manager that ends them."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._pool = Pool(setup)
        self._coming: deque[Case] = deque()
        self._ahead: dict[int, Job] = {}  # by id of a case, which its job keeps alive
        self._plan: Plan | None = None  # of what is checked ahead

    def __enter__(self) -> Self:
        """Nothing is started yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        stack: TracebackType | None,
    ) -> None:
        """End the workers."""
        self._pool.close()

    def expect(self, cases: Sequence[Case], plan: Plan) -> None:
        """Say which cases will be checked next, so that workers can begin with them."""
        self._coming = deque(cases)
        self._ahead.clear()
        self._plan = attrs.evolve(plan, total=None)  # how much is left is known only then

    def check(self, case: Case, plan: Plan) -> CaseResult:
        """Check one case as `check.check_case` does in this process."""
        self._go_ahead()
        job = self._ahead.pop(id(case), None)
        answer = self._call(duties.check, case, plan) if job is None else self._pool.answer(job)
        if plan.total is not None and _trials(answer) > plan.total:
            answer = self._call(duties.check, case, plan)
        if isinstance(answer, Death):
            return self._after_death(case, plan, answer)
        kind, value = answer
        if kind != "done":
            return CaseResult(case, CaseVerdict.ERROR, reason=value)
        return moved(value, case)

    def refiner(self, plan: Plan) -> Refines:
        """What `refine.refine` is given, so that it makes findings small here."""
        return _Refiner(self._call, plan)

    def play(self, script: Script) -> Played:
        """Play a plain script; raises NotApplicable if the agent cannot."""
        answer = self._call(duties.play, script)
        if not isinstance(answer, Death):
            return cast("Played", _value(answer))
        case = plain(script)
        seen = self._witnessed(case, answer, "strict")
        if seen.agent is None or seen.verdict.trace is None:
            raise HarnessError(f"the agent cannot even be made: {answer.detail}")
        return script, seen.agent, seen.verdict.trace

    def trial(self, case: Case) -> Verdict:
        """One trial on the default schedule; raises NotApplicable if the agent cannot."""
        answer = self._call(duties.trial, case)
        if isinstance(answer, Death):
            return self._witnessed(case, answer, case.mode or "strict").verdict
        return cast("Verdict", _value(answer))

    def rerun(self, code: ReplayCode, case: Case) -> Rerun:
        """Run the trial of a code again; raises NotApplicable if the agent cannot any more."""
        answer = self._call(duties.repeat, code, case)
        if not isinstance(answer, Death):
            return cast("Rerun", _value(answer))
        seen = self._witnessed(case, answer, code.mode)
        if seen.agent is None:
            raise HarnessError(f"the agent cannot even be made: {answer.detail}")
        return compared(code, case, seen.agent, seen.verdict)

    # --- work ---------------------------------------------------------------------------------

    def _call(self, duty: Callable[..., Any], *words: Any) -> tuple[str, Any] | Death:
        """Have one thing done before all that waits."""
        return self._pool.answer(self._pool.submit(duty, *words, first=True))

    def _go_ahead(self) -> None:
        """Keep the workers busy with the next cases, but not with what may never be asked for."""
        while self._coming and len(self._ahead) < _AHEAD * self.setup.isolation.jobs:
            case = self._coming.popleft()
            self._ahead[id(case)] = self._pool.submit(duties.check, case, self._plan)

    # --- deaths -------------------------------------------------------------------------------

    def _after_death(self, case: Case, plan: Plan, death: Death) -> CaseResult:
        """What the trials before the last one found, and how that one ended its process."""
        before: CaseResult | None = None
        if death.trials > 1:
            answer = self._call(duties.check, case, attrs.evolve(plan, total=death.trials - 1))
            before = moved(answer[1], case) if _done(answer) else None
        seen = self._witnessed(case, death, plan.mode_of(case))
        codes = Codes(
            self.setup.agent, plan.mode_of(case), plan.seed, self.setup.given, plan.drawn(case)
        )
        return postmortem.result(case, before, seen, codes)

    def _witnessed(self, case: Case, death: Death, mode: str) -> Witnessed:
        """Run the fatal trial once more in a new worker, which tells everything at once."""
        testimony = Testimony()
        again = self._pool.answer(
            self._pool.submit(
                duties.witness, case, death.schedule, mode, hear=testimony.hear, first=True
            )
        )
        return postmortem.witnessed(case, mode, testimony, death, again)


@attrs.define
class _Refiner:
    """Refines in a worker; if that ends it the finding stays as it is."""

    _call: Callable[..., tuple[str, Any] | Death]
    _plan: Plan
    trials: int = 0

    def refined(self, finding: Finding, result: CaseResult) -> Finding:
        """As `refine.Refiner.refined`."""
        answer = self._call(duties.refine, finding, result, self._plan)
        if isinstance(answer, Death):
            self.trials += answer.trials
        elif answer[0] == "done":
            small, trials = answer[1]
            self.trials += trials
            return cast("Finding", small)
        return finding


def _trials(answer: tuple[str, Any] | Death) -> int:
    if isinstance(answer, Death):
        return answer.trials
    return int(answer[1].trials) if answer[0] == "done" else 0


def _done(answer: tuple[str, Any] | Death) -> TypeGuard[tuple[str, Any]]:
    return not isinstance(answer, Death) and answer[0] == "done"


def _value(answer: tuple[str, Any]) -> Any:
    kind, value = answer
    if kind == "not applicable":
        raise NotApplicable(value)
    if kind == "failed":
        raise HarnessError(value)
    return value
