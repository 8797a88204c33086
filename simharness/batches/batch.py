"""A batch of trials and what comes of it. Both can be pickled; a worker needs nothing else."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

import attrs

from simharness.campaign.inquiry import trouble
from simharness.campaign.stopping import Stopping
from simharness.campaign.tally import Tally
from simharness.check import Bench
from simharness.verdict import CaseVerdict
from simharness.world.run import batch as trials

if TYPE_CHECKING:
    from simharness.agent import AgentFactory
    from simharness.campaign.results import Identity
    from simharness.scenario.model import Case
    from simharness.search.strategy import Answer, Proposal

__all__ = ["SIZE", "Batch", "Done", "done"]

SIZE: Final = 50
"""Trials of a full batch: some ten milliseconds of work, so that handing it over costs little."""


@attrs.frozen(eq=False)
class Batch:
    """Some trials of one case. Batches of a case are numbered from 0."""

    case: Case
    mode: str
    number: int
    proposals: tuple[Proposal, ...]

    @property
    def key(self) -> str:
        """Equal for two batches if they run the same trials of the same case."""
        words = (self.case.id, self.case.source, self.mode, self.number, *map(str, self.proposals))
        return hashlib.blake2b(repr(words).encode("utf-8", "replace"), digest_size=16).hexdigest()


@attrs.frozen(eq=False)
class Done:
    """What came of a batch.

    `trials` has the trace hash, the ending and the answer for the strategy of each trial that ran;
    fewer than were asked for if `stopping` has a reason or there was `trouble`. `expects` as in
    `check.Bench`. `died`: its workers did, each time.
    """

    agent: Identity | None
    expects: bool
    trials: tuple[tuple[str, str, Answer], ...]
    tally: Tally
    stopping: Stopping
    trouble: tuple[CaseVerdict, str] | None = None
    died: bool = False

    @classmethod
    def dead(cls, case: Case, reason: str) -> Done:
        """What is counted for a batch whose workers die."""
        problem = (CaseVerdict.ERROR, reason)
        return cls(None, False, (), Tally(case), Stopping(), problem, died=True)


def done(factory: AgentFactory, batch: Batch) -> Done:
    """Run a batch: as `check.check_case` runs a whole case."""
    bench = Bench(batch.case, factory, batch.mode)
    tally, stopping = Tally(batch.case), Stopping()
    ran: list[tuple[str, str, Answer]] = []
    problem = None
    try:
        with trials():
            for proposal in batch.proposals:
                verdict = bench.trial(proposal.chooser())
                ran.append((verdict.trace_hash, verdict.ending, proposal.read(verdict)))
                if tally.add(verdict) and stopping.after(verdict):
                    break
            tally.check_examples(bench.replayed)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - see `trouble`
        problem = trouble(error)
    return Done(bench.agent, bench.expects, tuple(ran), tally, stopping, problem)
