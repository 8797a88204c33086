"""What several rules ask of a trace: its runs, their cancels, requests and ends.

Built once per trace and shared by all rules. Nothing here judges.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import attrs

from simharness.contract import Contract
from simharness.storing import Forked, Killed
from simharness.trace import (
    ActionTaken,
    AgentEnd,
    CancelCalled,
    CancelEffective,
    ChunkTaken,
    Outcome,
    PromptCalled,
    Record,
    ReplayTaken,
    Reported,
    RequestMade,
    RunSettled,
    StreamTold,
    TerminalTaken,
    ToolEnded,
    Trace,
    TurnEnd,
    TurnStart,
)

__all__ = ["NEVER", "Cancel", "Facts", "RunFacts", "late", "read", "told"]

NEVER = 1 << 60
"""A record number that is never reached."""

_TOLD_BY_CALL = {"API", "TOKEN"}
_LIFE_CYCLE = {"agent", "turn", "message", "tool", "stream", "retry"}
_CONSUMER_LEFT = {"CLOSE", "BREAK"}
_STOPS_LATER = {"quiesce", "shutdown"}
_OTHER_REASONS = {"context_restart", "resume"}
_QUEUEING = ("follow", "steer", "prompt", "queue")


@attrs.frozen
class Cancel:
    """One cancel that was aimed at an open run.

    `called` and `effective` are record numbers. What starts from `late_from` on is too late: the
    effective point or, for an agent that declares grace 0 and was told by its own call, the call.
    """

    run: int
    called: int
    effective: int
    late_from: int
    way: str
    reason: str


@attrs.define
class RunFacts:
    """One prompt and what came of it. `cancels` holds those that stop the run at once.

    `graceful` are the record numbers of cancels that let the turn end. `left`: the consumer went
    away and the agent does not declare that this stops the run, so nothing follows from it.
    `queued`: other work was waiting that the agent may do after a cancel. `replaced`: a later
    prompt came during the run, and may have stopped it as a cancel would. `killed`: where its
    process was killed, so that it never settled and owes nothing.
    """

    number: int
    prompted: int
    text: str
    session: str
    settled: RunSettled | None = None
    requests: list[RequestMade] = attrs.field(factory=list)
    cancels: list[Cancel] = attrs.field(factory=list)
    graceful: list[int] = attrs.field(factory=list)
    ends: list[AgentEnd] = attrs.field(factory=list)
    left: bool = False
    queued: bool = False
    replaced: bool = False
    killed: int = NEVER
    outcomes: list[tuple[Outcome, int]] | None = None  # filled in by who asks first

    @property
    def over(self) -> int:
        """The record number of the settling, or of the kill; NEVER if there was neither."""
        return self.killed if self.settled is None else self.settled.n

    def stopped(self, cancel: Cancel) -> int:
        """The record number up to which `cancel` can be seen: where its part of the run ends.

        Behind the reported end of it, queued work has causes of its own.
        """
        if not self.queued:
            return NEVER
        return next((end.n for end in self.ends if end.n > cancel.called), NEVER)

    def request_at(self, n: int) -> RequestMade | None:
        """The latest request that was made before record `n`."""
        found = None
        for request in self.requests:
            if request.n > n:
                break
            found = request
        return found


class Facts:
    """The runs of one trace and its streams, by run and request."""

    def __init__(self, trace: Trace, contract: Contract) -> None:
        self.trace = trace
        self.contract = contract
        self.length = len(trace.records)
        self.runs: dict[int, RunFacts] = {}
        self.reloads: list[Killed | Forked] = []
        for prompt in trace.of(PromptCalled):
            self.runs[prompt.run] = RunFacts(prompt.run, prompt.n, prompt.text, prompt.session)
        for settled in trace.of(RunSettled):
            if (run := self.runs.get(settled.run)) is not None and run.settled is None:
                run.settled = settled
        self._read_kills()
        for request in trace.of(RequestMade):
            if (run := self.runs.get(request.run)) is not None:
                run.requests.append(request)
        for end in trace.of(AgentEnd):
            if (run := self.runs.get(end.run)) is not None and not end.derived:
                run.ends.append(end)
        self.terminals: dict[tuple[int, int], TerminalTaken] = {}
        for terminal in trace.of(TerminalTaken):
            self.terminals.setdefault((terminal.run, terminal.request), terminal)
        self._taken: dict[tuple[int, int], list[ChunkTaken]] | None = None
        self._args: list[ChunkTaken] | None = None
        self._events: list[Reported] | None = None
        self._read_cancels()
        self._read_queues()
        self._read_second_prompts()

    def _read_kills(self) -> None:
        self.reloads = [*self.trace.of(Killed), *self.trace.of(Forked)]
        for kill in self.reloads:
            for number in kill.runs:
                if (run := self.runs.get(number)) is not None and run.settled is None:
                    run.killed = min(run.killed, kill.n)

    def _read_cancels(self) -> None:
        called = self.trace.of(CancelCalled)
        points = self.trace.of(CancelEffective)
        for record in called:
            run = self.runs.get(record.run)
            if run is None or record.n > run.over:
                continue  # aimed at nothing
            way = record.way.upper().replace("-", "_")
            if way == "API_AFTER_TURN":
                run.graceful.append(record.n)
            elif way in _CONSUMER_LEFT and self.contract.disconnect != "stops":
                run.left = True
            else:
                run.cancels.append(self._cancel(record, way, points))
        self._read_abandoned()

    def _read_abandoned(self) -> None:
        """Runs that the framework stopped when their time was over: from where it told a stream."""
        for action in self.trace.of(ActionTaken):
            mark = action.action.partition(" ")[0]
            if mark not in _STOPS_LATER or (mark == "quiesce" and not action.text):
                continue
            for told in self.trace.of(StreamTold):
                run = self.runs.get(told.run)
                if run is None or told.n < action.n or run.graceful or run.left:
                    continue
                if any(action.n < kill.n < told.n for kill in self.reloads):
                    continue  # who was to stop is gone
                first = all(told.n < cancel.called for cancel in run.cancels)
                if first and not self._asked_anew(run, told):
                    way = mark.upper()
                    run.cancels.insert(0, Cancel(run.number, told.n, told.n, told.n, way, mark))

    def _asked_anew(self, run: RunFacts, told: StreamTold) -> bool:
        """Whether the stream may have been told for another reason."""
        return any(
            run.prompted < other.n < told.n and other.action.partition(" ")[0] in _OTHER_REASONS
            for other in self.trace.of(ActionTaken)
        )

    def _cancel(self, record: CancelCalled, way: str, points: list[CancelEffective]) -> Cancel:
        effective = next((p.n for p in points if p.run == record.run and p.n > record.n), NEVER)
        no_grace = self.contract.cancel_grace == "0" and way in _TOLD_BY_CALL and not record.inside
        late_from = record.n if no_grace else effective
        return Cancel(record.run, record.n, effective, late_from, way, record.reason)

    def _read_queues(self) -> None:
        if self.contract.queue_on_cancel in {"drop", "park"}:
            return
        for action in self.trace.of(ActionTaken):
            if any(word in action.action for word in _QUEUEING):
                for run in self.runs.values():  # what is parked waits for a later run
                    run.queued |= run.number >= action.run

    def _read_second_prompts(self) -> None:
        policy = self.contract.second_prompt
        if policy == "reject" or len(self.runs) == 1:
            return
        queues = self.contract.queue_on_cancel not in {"drop", "park"} and policy != "rollback"
        for later in self.runs.values():
            for run in self.runs.values():
                if later.session == run.session and run.prompted < later.prompted < run.over:
                    run.queued |= queues
                    run.replaced |= policy != "queue"

    def taken(self, run: int, request: int) -> list[ChunkTaken]:
        """The chunks the agent took from one stream, in order, since it last began anew.

        Without pieces that came for a call that had been ended: they say nothing.
        """
        if self._taken is None:
            self._taken = {}
            for chunk in self.trace.of(ChunkTaken):
                if chunk.index >= 0 and chunk.n > self.begun_anew(chunk.run, chunk.request):
                    self._taken.setdefault((chunk.run, chunk.request), []).append(chunk)
        return self._taken.get((run, request), [])

    def begun_anew(self, run: int, request: int) -> int:
        """The record behind which what a stream sent counts: its latest replay; 0 without one.

        Behind its reported end a stream begins nothing any more.
        """
        replays = [r for r in self.trace.of(ReplayTaken) if (r.run, r.request) == (run, request)]
        end = self.terminals.get((run, request))
        return max((r.n for r in replays if end is None or r.n < end.n), default=0)

    def events(self) -> list[Reported]:
        """The life cycle that the agent itself reported, in order, in the families it reports.

        What an adapter derived is left out, and so is what nobody was there to read.
        """
        if self._events is None:
            kinds = _kinds(self.contract.reports)
            found: list[Any] = [r for r in self.trace.records if type(r) in kinds]
            away = {run.number for run in self.runs.values() if run.left}
            self._events = [
                r for r in found if not r.derived and r.run in self.runs and r.run not in away
            ]
        return self._events

    def args_taken(self) -> list[ChunkTaken]:
        """All pieces of tool calls the agent took that still count, in order."""
        if self._args is None:
            self._args = [
                chunk
                for chunk in self.trace.of(ChunkTaken)
                if chunk.kind == "args" and chunk.n > self.begun_anew(chunk.run, chunk.request)
            ]
        return self._args

    def terminal(self, request: RequestMade) -> TerminalTaken | None:
        """The end the agent took from the stream of `request`, if it took one."""
        return self.terminals.get((request.run, request.request))

    def cancelled(self) -> list[tuple[RunFacts, Cancel]]:
        """The runs that were cancelled at once and could end, each with the cancel that counts."""
        return [
            (run, run.cancels[0])
            for run in self.runs.values()
            if run.cancels and run.killed == NEVER
        ]

    def next_run(self, run: RunFacts) -> RunFacts | None:
        """The next prompt of the same session that was called after `run` had settled.

        None also if the process was killed in between, or the session left: what the run had come
        to is then for the rules about stores.
        """
        for later in self.runs.values():
            if later.prompted > run.over and later.session == run.session:
                reloaded = any(run.over <= kill.n < later.prompted for kill in self.reloads)
                return None if reloaded else later
        return None

    def behind(self, record: Record) -> bool:
        """Whether `record` belongs to a run that had settled and still counts."""
        run = self.runs.get(record.run)
        return run is not None and record.n > run.over and not run.left

    def overlaps(self, run: RunFacts, *, of_session: bool = False) -> bool:
        """Whether another run was open at some moment of `run`; one of its session, if asked so."""
        return any(
            other is not run
            and other.prompted < run.over
            and run.prompted < other.over
            and not (of_session and other.session != run.session)
            for other in self.runs.values()
        )

    def busy(self, n: int) -> bool:
        """Whether a run was in progress at record `n`."""
        return any(run.prompted < n < run.over for run in self.runs.values())

    def turn_over(self, run: RunFacts) -> int | None:
        """Where the turn ends that was current when a graceful cancel was called; None: never.

        Read from reported turns, else from the requests. A turn that may have been under way
        already when the cancel came, before the first or between two, may still be made.
        """
        called = run.graceful[0]
        ends = [end.n for end in self.trace.of(TurnEnd, run.number) if not end.derived]
        if ends:
            started = sum(1 for s in self.trace.of(TurnStart, run.number) if s.n < called)
            open_turn = started > sum(1 for n in ends if n < called)
            after = [n for n in ends if n > called]
            between = not open_turn
        else:
            open_turn = self._pending(run, called)
            last = run.request_at(called)
            answer = None if last is None else self.terminal(last)
            between = not open_turn and answer is not None and answer.kind == "finish"
            after = [request.n - 1 for request in self._new_turns(run) if request.n > called]
        if between and self.contract.cancel_grace == "0":
            return called
        wanted = 0 if open_turn else 1
        return after[wanted] if len(after) > wanted else None

    def _new_turns(self, run: RunFacts) -> list[RequestMade]:
        """The requests that begin a turn: all but those that try a failed one again."""
        found = run.requests[:1]
        for before, request in zip(run.requests, run.requests[1:], strict=False):
            terminal = self.terminal(before)
            if terminal is not None and terminal.kind == "finish":
                found.append(request)
        return found

    def _pending(self, run: RunFacts, n: int) -> bool:
        """Whether the response that is current at record `n` still streams or has calls to run."""
        request = run.request_at(n)
        if request is None:
            return False
        terminal = self.terminal(request)
        if terminal is None or terminal.n > n:
            return True
        ended = {tool.call_id for tool in self.trace.of(ToolEnded) if tool.n < n}
        calls = {c.call_id for c in self.taken(run.number, request.request) if c.kind == "args"}
        return not calls <= ended

    def natural_end(self, request: RequestMade | None, before: int) -> TerminalTaken | None:
        """The end of a stream if it came by itself before record `before`.

        None while the stream is open, or if it ended because it had been told of a cancel.
        """
        terminal = None if request is None else self.terminal(request)
        if terminal is None or terminal.answering or terminal.n > before:
            return None
        return terminal


@lru_cache(maxsize=32)
def _kinds(families: frozenset[str]) -> frozenset[type[Record]]:
    """The classes of reported records that belong to `families`."""
    wanted = families & _LIFE_CYCLE
    return frozenset(kind for kind in Reported.__subclasses__() if kind.family in wanted)


_latest: Facts | None = None


def read(trace: Trace, contract: Contract) -> Facts:
    """The facts of `trace`. All rules judge one trace in turn, so the latest is remembered."""
    global _latest  # noqa: PLW0603 - one slot; a cache per trace would outlive the trace
    found = _latest
    if (
        found is None
        or found.trace is not trace
        or found.contract is not contract
        or found.length != len(trace.records)
    ):
        found = _latest = Facts(trace, contract)
    return found


def late(record: Record, cancel: Cancel) -> bool:
    """Whether `record` starts something too late, the work of a told step included."""
    return record.n > cancel.late_from or (record.n > cancel.called and told(record))


def told(record: Record) -> bool:
    """Whether the step that made `record` had called the cancel itself."""
    return bool(getattr(record, "told", False))
