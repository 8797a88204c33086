"""From one failing trial to the smallest scenario and schedule that break the same rule.

The scenario comes first, then the schedule: a smaller scenario offers fewer choices. Each candidate
is played from scratch. What the search is given are opaque values; what a smaller case is, is said
by `scenario.smaller`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from simharness.agent import NotApplicable
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.scenario.model import PromptAction
from simharness.scenario.smaller import smaller
from simharness.search import Why, explain, find_again, shrink, shrink_value
from simharness.verdict import HarnessError
from simharness.world.run import batch

if TYPE_CHECKING:
    from simharness.agent import AgentFactory
    from simharness.campaign.allowance import Allowance
    from simharness.campaign.results import Identity
    from simharness.choices import Chooser
    from simharness.scenario.model import Action, Case
    from simharness.search import RunOnce, Shrunk
    from simharness.verdict import Verdict, Violation

__all__ = ["Small", "make_small"]

_LOOK: Final = 40  # trials in which a smaller scenario must fail again, or it does not count
_SCENARIO: Final = 0.6  # the share of an allowance after which the schedule has its turn
_ATTEMPTS: Final = 5000  # more than any scenario that a person reads has smaller forms


@attrs.frozen(eq=False)
class Small:
    """The smallest failure that was found, and why nothing smaller was.

    `scenario` says how far the scenario came, `schedule` how far the schedule did; `why` is the
    worse of both. `explanation` has a line for each deviation that is left.
    """

    case: Case
    agent: Identity
    verdict: Verdict
    violation: Violation
    why: Why
    trials: int
    scenario: str
    schedule: str
    explanation: tuple[str, ...]
    mode: str

    @property
    def rule(self) -> str:
        """The rule that is broken from the first trial to the last."""
        return self.violation.rule


def make_small(
    case: Case,
    verdict: Verdict,
    rule: str,
    factory: AgentFactory,
    mode: str,
    allowance: Allowance,
) -> Small:
    """Make `case` and the schedule of `verdict`, which breaks `rule`, as small as they get."""
    shrinker = _Shrinking(rule, factory, mode, allowance)
    with batch():
        return shrinker.run(case, verdict)


@attrs.define(eq=False)
class _Shrinking:
    """One failure on its way down; the fields are those of `make_small`."""

    rule: str
    factory: AgentFactory
    mode: str
    allowance: Allowance
    smallest: Case = attrs.field(init=False)

    def run(self, case: Case, verdict: Verdict) -> Small:
        """Shrink, explain and say why it stopped."""
        begun = self._schedule(case, verdict, proof=False)
        if begun.why in {Why.FLAKY, Why.NOT_REPRODUCIBLE}:
            return self._small(case, begun, begun.why, "not tried: the failure does not hold still")
        case, verdict, said, least = self._scenario(case, begun.verdict)
        done = self._schedule(case, verdict, proof=True)
        why = Why.BUDGET if done.why is Why.LEAST and not least else done.why
        return self._small(case, done, why, said)

    def _scenario(self, case: Case, verdict: Verdict) -> tuple[Case, Verdict, str, bool]:
        """The smallest case, its failing trial, how far that came, and whether to the end."""
        if self.rule.startswith("expect."):
            said = "kept whole: an expectation describes this scenario and no other"
            return case, verdict, said, True
        self.smallest = case
        found = shrink_value(
            case,
            verdict,
            smaller=smaller,
            attempt=self._attempt,
            budget=_ATTEMPTS,
            spent=lambda: self.allowance.spent(_SCENARIO),
        )
        return found.value, found.verdict, found.describe(), found.least

    def _attempt(self, candidate: Case, failing: Verdict) -> Verdict | None:
        """A trial of `candidate` that breaks the rule, with no more deviations than before."""
        run_once = self._runner(candidate)
        count, placed = len(failing.schedule), self._is_placed(candidate)
        # With one deviation less than one, only the default schedule is left to try.
        trials = min(1 if count <= placed else _LOOK, self.allowance.left)
        try:
            found = find_again(run_once, failing, self.rule, budget=trials)
        except (NotApplicable, HarnessError):
            return None
        except Exception:  # noqa: BLE001 - what the agent's adapter raises is another failure
            return None
        if found is None or (placed and len(found.schedule) == count):
            return None
        self.smallest = candidate
        return found

    def _is_placed(self, candidate: Case) -> bool:
        """Whether an action got a place of its own: that must save the deviation that placed it."""
        free = [
            [_is_free(action) for action in case.actions] for case in (candidate, self.smallest)
        ]
        return len(free[0]) == len(free[1]) and sum(free[0]) < sum(free[1])

    def _schedule(self, case: Case, verdict: Verdict, *, proof: bool) -> Shrunk:
        return shrink(
            self._runner(case),
            verdict,
            self.rule,
            budget=self.allowance.left,
            spent=self.allowance.spent,
            proof=proof,
        )

    def _runner(self, case: Case) -> RunOnce:
        return self._counted(Bench(case, self.factory, self.mode))

    def _counted(self, bench: Bench) -> RunOnce:
        def run_once(chooser: Chooser) -> Verdict:
            self.allowance.used += 1
            return bench.trial(chooser)

        return run_once

    def _small(self, case: Case, shrunk: Shrunk, why: Why, said: str) -> Small:
        """The result, explained; a failure that does not hold still cannot be."""
        steady = why not in {Why.FLAKY, Why.NOT_REPRODUCIBLE}
        bench = Bench(case, self.factory, self.mode)
        run_once = self._counted(bench)
        run_once(ScheduleChooser(shrunk.schedule))
        assert bench.agent is not None, "a trial makes an agent"
        parts = explain(run_once, shrunk.verdict, self.rule) if steady else ()
        broken = next(v for v in shrunk.verdict.violations if v.rule == self.rule)
        return Small(
            case,
            bench.agent,
            shrunk.verdict,
            broken,
            why,
            self.allowance.used,
            said,
            shrunk.describe(),
            tuple(map(str, parts)),
            self.mode,
        )


def _is_free(action: Action) -> bool:
    """Whether the search places the action."""
    return not isinstance(action, PromptAction) and action.anywhere
