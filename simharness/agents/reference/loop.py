"""The reference loop: what a user calls, and how a run begins and ends.

One run at a time. What happens between the two ends of a run is done by its turns. Every decision
is a method of its own.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import attrs

from simharness.agent import CancelWay, Style
from simharness.agents.reference.admission import Admission, BusyError
from simharness.agents.reference.answering import Answering
from simharness.agents.reference.calling import HookCalls
from simharness.agents.reference.cancelling import Cancellation
from simharness.agents.reference.contract import CONTRACT
from simharness.agents.reference.deferring import deferring, left_over, text_of, with_text
from simharness.agents.reference.guarding import Guard
from simharness.agents.reference.hooks import Hooks
from simharness.agents.reference.journal import Journal
from simharness.agents.reference.limits import Limits
from simharness.agents.reference.queues import Queues
from simharness.agents.reference.repetition import Repetition
from simharness.agents.reference.retry import Retry
from simharness.agents.reference.scripting import installed
from simharness.agents.reference.session import Fold, entries_of, forked
from simharness.agents.reference.settings import Settings
from simharness.agents.reference.stopping import GoneError, StoppedError
from simharness.agents.reference.supervising import Supervised
from simharness.agents.reference.tools import ToolRunner
from simharness.agents.reference.turns import End, Turns
from simharness.trace import (
    AgentEnd,
    AgentStart,
    InputRejected,
    Message,
    Notice,
    Outcome,
    PhaseChanged,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from simharness.agent import World
    from simharness.agents.reference.calling import Ruling
    from simharness.agents.reference.entries import Deferred

__all__ = ["BusyError", "End", "ReferenceAgent", "Run"]


@attrs.define(eq=False)
class Run:
    """One run in progress. `kept_before`: how long the history was before it.

    `queue` is what becomes of queued messages if it is cancelled: run, drop or park. `rolled_back`:
    a later prompt takes its place. `parked`: the user was told that the queue waits.
    """

    cancellation: Cancellation
    hooks: HookCalls
    turns: Turns
    kept_before: int
    queue: str
    rolled_back: bool = False
    parked: bool = False


class ReferenceAgent(Supervised):
    """An agent loop that keeps its contract in every interleaving.

    `contract` is not only what it says: where a field has several values, the loop does what its
    contract declares. A profile is this loop with another contract.
    """

    name = "reference"
    version = "1"
    profile = ""
    contract = CONTRACT
    seam = "stream"
    style = Style.ASYNC
    cancel_ways = frozenset({CancelWay.API})

    answering_type = Answering
    cancellation_type = Cancellation
    guard_type = Guard
    hook_calls_type = HookCalls
    journal_type = Journal
    queues_type = Queues
    retry_type = Retry
    tools_type = ToolRunner
    turns_type = Turns

    def __init__(self, world: World) -> None:
        self.world = world
        self.settings = Settings()
        self.hooks = Hooks()
        self.journal = self.journal_type(world)
        self.queues = self.queues_type()
        self.admission = Admission()
        self._run: Run | None = None
        self.latest: End | None = None
        self.supervise()

    # --- what a user calls ----------------------------------------------------------------------

    async def prompt(self, text: str, *, stream: bool = True) -> None:
        """Run one prompt to its end. Without `stream` each answer is shown when it is whole.

        Raises what made the run fail, `BusyError` during a run, `GoneError` behind a shutdown.
        A cancelled run just returns, unless it was cancelled by `task.cancel()`: then everything
        is brought to its end first and CancelledError is raised, as asyncio expects.
        """
        async with deferring(text, self.journal, self.stops) as said:
            await self.admit()
            await self.serve(lambda run: self.begin(run, said), stream=stream)

    async def continue_(self, *, stream: bool = True) -> None:
        """Like `prompt`, with nothing new: the model goes on from the history as it is."""
        await self.admit()
        await self.serve(self.begin_again, stream=stream)

    def steer(self, text: str) -> None:
        """Say something that the model hears at the next tool boundary, or with the next run."""
        self.queues.steer(text)

    def follow_up(self, text: str) -> None:
        """Say something that the model hears when it has nothing else to do."""
        self.queues.follow_up(text)

    def history(self) -> list[Message]:
        """The messages the next request would hold, without the system prompt."""
        return list(self.journal.history)

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        """Apply `settings`; return the names of those that mean nothing to this loop."""
        self.settings, unknown = self.settings.updated(settings)
        return unknown

    def script_hooks(self, hooks: Mapping[str, object]) -> set[str]:
        """Install what a scenario scripts; return the positions that could not be applied."""
        self.hooks, unknown = installed(self.world, hooks)
        self.journal.observers = self.hooks.observer
        return unknown

    def outcome_of(self, exc: BaseException | None) -> Outcome | None:
        """The outcome that the return of `prompt`, or its exception, stands for."""
        match exc:
            case None:
                return None if self.latest is None else self.latest.outcome
            case BusyError() | GoneError():
                return Outcome.REJECTED
            case asyncio.CancelledError() | StoppedError():
                return Outcome.CANCELLED
        return Outcome.FAILED

    # --- the session ------------------------------------------------------------------------------

    async def load(self) -> None:
        """Take up the session in the store and close what a killed program left open."""
        session = self.journal.session
        session.load()
        session.repair()
        await session.settle()

    def stored(self, text: str) -> list[Message]:
        """The history that a session file holds."""
        return Fold.of(entries_of(text)).history

    def fork(self, text: str, turn: int | None) -> list[str]:
        """The lines of a session that begins as that of `text` was behind its turn `turn`."""
        return forked(text, turn)

    # --- one run at a time ----------------------------------------------------------------------

    async def admit(self) -> None:
        """Begin, or do with a prompt during a run what the settings say."""
        if self.caller is None:  # else it was let in where it was asked for
            self.stops.let_in()
        try:
            await self.stops.gate.passed(self.asking())
            if self.admission.taken:
                self.meet_second_prompt()
            await self.admission.enter()
        except BaseException:
            self.come_back()
            raise

    def meet_second_prompt(self) -> None:
        """Refuse a prompt that comes during a run, or make room for it."""
        if self.settings.second_prompt == "reject" and not self.stops.gone:  # else to be stopped
            raise BusyError("a run is in progress")
        if self._run is not None:
            self.make_room(self._run)

    def make_room(self, run: Run) -> None:
        """End a run in front of a later prompt, unless that waits."""
        policy = self.settings.second_prompt
        if policy in {"interrupt", "rollback"}:
            run.rolled_back = policy == "rollback"
            run.cancellation.set("rolled back" if policy == "rollback" else "interrupted")

    async def serve(self, begin: Callable[[Run], Awaitable[End]], *, stream: bool) -> None:
        """Do one run and, as long as what is queued is to run, one more for that."""
        try:
            run, end = await self.one_run(begin, stream=stream)
            while self._run is not None:
                run, end = await self.one_run(self.begin_queued, stream=stream)
            if self.journal.news:  # something was taken back, or a note left, at the very end
                await self.journal.settle(run.cancellation)
            self.latest = end  # not before: a run aside may have ended meanwhile
        finally:
            self.come_back()
        if run.cancellation.by_task and end.outcome is Outcome.CANCELLED:
            raise asyncio.CancelledError(end.cause)
        if end.error is not None:
            raise end.error

    async def one_run(
        self, begin: Callable[[Run], Awaitable[End]], *, stream: bool
    ) -> tuple[Run, End]:
        """One run from its start to its end, whatever happens between them."""
        run = self._run = self.open_run()
        early = self.stops.began(run, self.asking())
        if early is not None:
            self.cancel_run(run, *early)
        if self.admission.waited_for:
            self.make_room(run)
        run.turns.answering.streaming = stream
        try:
            self.journal.report(AgentStart())
            end = await begin(run)
        except Exception as error:  # noqa: BLE001 - raised to the caller, once the run is closed
            end = End(Outcome.FAILED, "error", error)
        await self.journal.settle(run.cancellation)
        return run, self.close_run(run, end)

    def another(self) -> ReferenceAgent:
        """A new agent of the same kind, for a run beside the conversation."""
        return type(self)(self.world)

    # --- how a run begins -----------------------------------------------------------------------

    def open_run(self) -> Run:
        """Start with nothing left of earlier runs but the history, the queue and the streak."""
        cancellation = self.new_cancellation()
        journal, settings, contract = self.journal, self.settings, self.contract
        hooks = self.hook_calls_type(self.world, journal, cancellation, self.hooks, contract)
        retry = self.retry_type(settings.retry, contract)
        guard = self.guard_type(self.world, journal, cancellation, settings.guard)
        turns = self.turns_type(
            journal,
            cancellation,
            self.answering_type(
                self.world,
                journal,
                cancellation,
                hooks,
                contract,
                retry=retry,
                guard=guard,
                system=settings.system,
                reads_on=settings.reads_on,
                idle_limit_s=settings.idle_limit,
            ),
            self.tools_type(
                self.world, journal, cancellation, hooks, contract, self.queues, settings, guard
            ),
            hooks,
            self.queues,
            Limits(settings),
            Repetition(settings.loop_limit),
            contract,
            len(journal.used),
        )
        return Run(cancellation, hooks, turns, len(journal.history), settings.queue_on_cancel)

    def new_cancellation(self) -> Cancellation:
        """One per run: a cancel of this run, or of none, must not touch another."""
        cancellation = self.cancellation_type(self.caller)
        cancellation.marks_outrank = self.contract.cause_precedence != "first"
        return cancellation

    async def begin(self, run: Run, said: str | Deferred) -> End:
        """Begin with a prompt, once the filters have let it pass."""
        left = await left_over(self.journal, run.hooks, self.accepted)
        ruling = await run.hooks.rule("input_filter", text_of(said))
        if run.cancellation.called and self.hooks.input_filter:
            return run.turns.cancelled()  # it was never accepted
        if ruling.denied is not None:
            return self.reject(ruling.denied)
        heard = with_text(said, self.accepted(ruling))
        return await run.turns.take([*left, *self.queues.take_steering(), heard])

    def reject(self, reason: str) -> End:
        """Turn a prompt away: nothing of it is kept."""
        self.journal.report(InputRejected(reason))
        return End(Outcome.REJECTED, reason)

    def accepted(self, ruling: Ruling) -> str:
        """The text of a prompt that passed, with what the filters want the model to read."""
        warnings = (f"[Warning: {warning}]" for warning in ruling.warnings)
        return "\n".join([str(ruling.value), *warnings])

    async def begin_again(self, run: Run) -> End:
        """Go on from the history as it is; without one there is nothing to do."""
        left = await left_over(self.journal, run.hooks, self.accepted)
        if left or self.journal.history:
            return await run.turns.take([*left, *self.queues.take_steering()])
        if run.cancellation.called:
            return run.turns.cancelled()
        return await self.begin_queued(run) if self.queues.waiting else End(Outcome.COMPLETED)

    async def begin_queued(self, run: Run) -> End:
        """Begin with what was queued when a run was cancelled."""
        return await run.turns.take(self.queues.take_steering() or self.queues.take_follow_up())

    # --- how a run ends -------------------------------------------------------------------------

    def close_run(self, run: Run, end: End) -> End:
        """Become idle, settle the outcome, report the end: nothing of the run follows it."""
        self.become_idle(end)
        end = self.last_word(run, end)
        run.turns.leave_note(end)
        self.settle_queue(run, end)
        if run.rolled_back:
            self.roll_back(run)
        messages = tuple(self.journal.history[run.kept_before :])
        usage = self.journal.usage_since(run.turns.used_before)
        self.journal.report(AgentEnd(end.outcome, end.cause, messages, usage))
        self.release(run, end)
        self.stops.ended(run)
        return end

    def become_idle(self, end: End) -> None:  # noqa: ARG002 - however it ended
        """Report that nothing is being done any more."""
        self.journal.report(PhaseChanged("idle"))

    def last_word(self, run: Run, end: End) -> End:
        """A cancel outranks every end but a completed one, for which it came too late.

        Not too late if the user had said more that was to be done. After `task.cancel()` the caller
        gets CancelledError in any case; then the run says so too.
        """
        done = end.outcome is Outcome.COMPLETED and not self.queues.waiting
        stays = end.stands or (done and not run.cancellation.by_task)
        return end if stays or not run.cancellation.called else run.turns.cancelled()

    def settle_queue(self, run: Run, end: End) -> None:
        """Drop what is queued, or say that it stays. A prompt in line runs in any case."""
        if end.outcome is Outcome.CANCELLED and run.queue == "drop":
            for text in self.queues.drop():
                self.journal.report(Notice("dropped", text))
        elif not self.queue_runs(run, end):
            self.park(run)

    def park(self, run: Run) -> None:
        """Say once that what is queued waits for the next run."""
        if self.queues.waiting and not run.parked:
            run.parked = True
            self.journal.report(Notice("parked", "what was queued waits for the next run"))

    def queue_runs(self, run: Run, end: End) -> bool:
        """Whether what is queued is done at once.

        Behind a run that completed, which looked at the queue before somebody said more, unless
        nothing new may begin. Never after `task.cancel()`, for the task is over, nor where the
        framework stopped the run.
        """
        cancellation = run.cancellation
        if not self.queues.waiting or cancellation.by_task or cancellation.marked:
            return False
        if end.outcome is Outcome.COMPLETED:
            return not (cancellation.called or self.stops.gate.closed)
        return end.outcome is Outcome.CANCELLED and run.queue == "run"

    def roll_back(self, run: Run) -> None:
        """Forget the run, as a later prompt takes its place; name what the user said in it."""
        forgotten = self.journal.history[run.kept_before :]
        self.journal.forget_behind(run.kept_before)
        for message in forgotten:
            if message.role == "user":
                self.journal.report(Notice("rolled-back", message.text))

    def release(self, run: Run, end: End) -> None:
        """Be ready for the next prompt, unless the queue runs first."""
        if not self.queue_runs(run, end):
            self.park(run)
            self._run = None
            self.admission.leave()
