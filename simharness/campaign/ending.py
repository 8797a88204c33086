"""Endings: what distinguishes one way of ending from another, and what is kept of each."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import attrs

from simharness.storing import Killed
from simharness.trace import AgentEnd, HistoryRead, Message, RequestMade, RunSettled, Trace

if TYPE_CHECKING:
    from simharness.choices import Schedule
    from simharness.verdict import Verdict

__all__ = ["Ending", "ending_key", "last_history"]


@attrs.frozen
class Ending:
    """One way in which a case ends, without its trace: thousands of them must fit in memory.

    `count` interleavings end so. `schedule` is the smallest that does, and `choices` in
    words what it chooses. `outcomes` has one word per run, `history` the last messages there were.
    """

    count: int
    schedule: Schedule
    choices: tuple[str, ...]
    outcomes: tuple[str, ...]
    history: tuple[Message, ...]

    @classmethod
    def of(cls, verdict: Verdict) -> Ending:
        """The ending of one trial."""
        trace = verdict.trace
        assert trace is not None, "a trial keeps its trace until it was counted"
        return cls(
            1,
            verdict.schedule,
            tuple(
                f"point {number}: {point.options[point.chosen].label}"
                for number, point in enumerate(verdict.course)
                if point.chosen
            ),
            tuple(_outcome(trace, run) for run in trace.runs()),
            last_history(trace),
        )

    def again(self, verdict: Verdict) -> Ending:
        """The same ending once more; the smaller schedule is kept."""
        schedule = verdict.schedule
        smaller = (len(schedule), schedule) < (len(self.schedule), self.schedule)
        return attrs.evolve(Ending.of(verdict) if smaller else self, count=self.count + 1)

    def joined(self, other: Ending) -> Ending:
        """The same ending as others saw it; the smaller schedule is kept."""
        small = min(self, other, key=lambda ending: (len(ending.schedule), ending.schedule))
        return attrs.evolve(small, count=self.count + other.count)


def ending_key(trace: Trace) -> str:
    """Equal for two trials exactly if all runs ended equally and the same history is left."""
    parts: list[object] = [(r.run, r.how, r.error, r.outcome) for r in trace.of(RunSettled)]
    parts += [(r.run, r.outcome, r.cause) for r in trace.of(AgentEnd)]
    parts += [record.messages for record in trace.of(RequestMade)[-1:]]
    parts += [record.messages for record in trace.of(HistoryRead)[-1:]]
    return hashlib.blake2b(repr(parts).encode("utf-8", "replace"), digest_size=8).hexdigest()


def last_history(trace: Trace) -> tuple[Message, ...]:
    """The messages of the last request; without any, those that were displayed last."""
    asked = [record.messages for record in trace.of(RequestMade)[-1:]]
    shown = [record.messages for record in trace.of(HistoryRead)[-1:]]
    return next(iter([*asked, *shown]), ())


def _outcome(trace: Trace, run: int) -> str:
    """What the agent says about the end of a run, else how its prompt came back."""
    said = [end.outcome for end in trace.of(AgentEnd, run) if end.outcome is not None]
    settled = trace.of(RunSettled, run)
    said += [end.outcome for end in settled if end.outcome is not None]
    killed = any(run in kill.runs for kill in trace.of(Killed))
    how = settled[-1].how if settled else "killed" if killed else "not settled"
    return str(said[-1]) if said else how
