"""One block of random trials: cases that Hypothesis draws, each under some random schedules.

A block is a function of its number, so that blocks may be played in any order, in any process, and
not a second time after an interruption.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import attrs
from hypothesis import strategies as st

from simharness import agents
from simharness.campaign.codes import Codes
from simharness.campaign.coverage import sentences
from simharness.campaign.results import Example, Finding
from simharness.check import Bench
from simharness.choices import Chooser, ScheduleChooser
from simharness.report import text
from simharness.scenario.model import Case
from simharness.strategies import cases, of_kind
from simharness.strategies.kinds import KINDS
from simharness.trace import LimitHit
from simharness.verdict import Verdict, Violation
from simharness.world.run import batch
from tests.drawing import first_cases, random_chooser

__all__ = [
    "CASES",
    "OF_KINDS",
    "RUN",
    "SCHEDULES",
    "TRIALS",
    "Block",
    "drawn",
    "kinds_of",
    "play_block",
]

CASES = 250
SCHEDULES = 4
TRIALS = CASES * SCHEDULES
"""Trials of a block: cases by schedules. The first schedule of each case is the default one."""

REPEATED = 16
"""Every so many trials one is played again from its schedule and must give the same bytes."""

OF_KINDS = 4
"""One in so many cases is drawn from the generator of a kind of public report."""

RUN = 16
"""So many cases of one kind are drawn in a row, then comes the next kind."""

_CASES = st.one_of(cases(), cases(), cases(store=True))


@attrs.frozen
class Block:
    """What came of the trials of a block.

    `distinct`: pairs of a case and a schedule, `traces`: of a case and a trace. `of_kinds`: trials
    of cases that were drawn for a kind of public report. `failures` are texts: a rule that broke, a
    limit that was hit, or an exception that is a fault of ours.
    """

    number: int
    trials: int = 0
    distinct: int = 0
    traces: int = 0
    with_store: int = 0
    of_kinds: int = 0
    repeated: int = 0
    records: int = 0
    seconds: float = 0.0
    failures: tuple[str, ...] = ()


def drawn(block: int, count: int = CASES) -> list[Case]:
    """The cases of a block, those of the kinds last; the same in each process."""
    of_kinds = count // OF_KINDS
    found = _some(_CASES, block, count - of_kinds)
    for number, name in enumerate(kinds_of(block, count)):
        found += _some(of_kind(name), block, min(RUN, of_kinds - number * RUN))
    return found


def kinds_of(block: int, count: int) -> list[str]:
    """The kinds that a block draws from: the block before it has those in front of them."""
    runs = -(-(count // OF_KINDS) // RUN)
    names = list(KINDS)
    return [names[number % len(names)] for number in range(block * runs, (block + 1) * runs)]


def _some(strategy: st.SearchStrategy[Case], number: int, count: int) -> list[Case]:
    """Cases of a strategy; the simplest one, which always comes first, is left out."""
    return first_cases(strategy, number, count + 1)[1:]


def play_block(block: int, agent: str = "reference", count: int = CASES) -> Block:
    """Play and judge the trials of a block; `agent` is a name as `--agent` takes it.

    Raises nothing that a trial raises: that is one of the failures.
    """
    started = time.perf_counter()
    tally = Block(block, of_kinds=count // OF_KINDS * SCHEDULES)
    with batch():
        for number, case in enumerate(drawn(block, count)):
            tally = _added(tally, case, agent, first=number * SCHEDULES)
    return attrs.evolve(tally, seconds=time.perf_counter() - started)


def _added(tally: Block, case: Case, agent: str, *, first: int) -> Block:
    """The tally with all trials of a case."""
    bench = Bench(case, agents.find(agent))
    verdicts: list[Verdict] = []
    failures: list[str] = []
    repeated = 0
    for trial in range(first, first + SCHEDULES):
        try:
            verdict = bench.trial(_chooser(tally.number, trial, default=trial == first))
            again = trial % REPEATED == 0
            failures += _wrong(bench, verdict, agent, again=again)
        except Exception as error:
            failures.append(f"{type(error).__name__}: {error}\n\n{case.source}")
            continue
        verdicts.append(verdict)
        repeated += again
    return attrs.evolve(
        tally,
        trials=tally.trials + SCHEDULES,
        distinct=tally.distinct + len({one.schedule for one in verdicts}),
        traces=tally.traces + len({one.trace_hash for one in verdicts}),
        with_store=tally.with_store + SCHEDULES * (case.store is not None),
        repeated=tally.repeated + repeated,
        records=tally.records + sum(len(one.trace or ()) for one in verdicts),
        failures=(*tally.failures, *failures),
    )


def _chooser(block: int, trial: int, *, default: bool) -> Chooser:
    """The default schedule, or one that deviates now and then, or that takes any option alike."""
    if default:
        return ScheduleChooser()
    number = block * TRIALS + trial
    return random_chooser(number)


def _wrong(bench: Bench, verdict: Verdict, agent: str, *, again: bool) -> list[str]:
    """All that is wrong with a trial, as texts with the scenario and the schedule."""
    wrong = list(verdict.violations)
    wrong += [Violation("limit", limit, ()) for limit in _limits(bench.case, verdict)]
    if again and bench.trial(ScheduleChooser(verdict.schedule)).trace_hash != verdict.trace_hash:
        wrong.append(Violation("determinism", "The same schedule gave another trace.", ()))
    if not wrong:
        return []
    codes = Codes(agent, bench.mode, seed=0)
    found = [Finding(one.rule, one.message, 1, Example(bench.case, verdict, one)) for one in wrong]
    blocks = [text.failure(codes.write(one, bench.agent), agent, sentences()) for one in found]
    return ["\n\n".join([bench.case.source, *blocks])]


def _limits(case: Case, verdict: Verdict) -> Sequence[str]:
    """The limits that were hit, but for the deadlock that a script with a `hang` asks for."""
    hit = sorted({one.limit for one in verdict.trace.of(LimitHit)} if verdict.trace else ())
    return [one for one in hit if one != "deadlock" or "hang" not in case.source]
