"""Carrying out a cancel, and finding when it counts.

A cancel is *called* when its handle runs or, from inside, at once. It is *effective* at the first
quiet point after that: the first loop boundary with nothing ready (a busy one counts), or a fixed
number of boundaries later. Called from inside by a call or token of its own, the agent was told
before it went on: there the same boundary's end is the limit, and what the very step that called it
starts is marked `told`. A task cancel from inside travels like any other.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from typing import TYPE_CHECKING, Any

from simharness.agent import CancelWay, NotApplicable, Style
from simharness.scenario.model import CancelAction
from simharness.trace import CancelCalled, CancelEffective
from simharness.world import baton

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from simharness.world.trial import Trial
    from simharness.world.user import UserAction

_OWN = (CancelWay.API, CancelWay.TOKEN, CancelWay.API_AFTER_TURN)
_STOPS = ("shutdown", "dispose")
_LEAVING = (CancelWay.CLOSE, CancelWay.BREAK)
_HARNESS = (CancelWay.TASK, CancelWay.INTERRUPT, *_LEAVING)


class Token:
    """The token of a TOKEN cancel: event, thread event and callable in one."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self.thread_event = threading.Event()

    def set(self) -> None:
        """Call the cancel."""
        self.event.set()
        self.thread_event.set()

    def is_set(self) -> bool:
        """Whether the cancel was called."""
        return self.event.is_set()

    def __call__(self) -> bool:
        """Same as `is_set`."""
        return self.event.is_set()

    async def wait(self) -> None:
        """Wait until the cancel is called."""
        await self.event.wait()


class Cancels:
    """All cancels of one trial."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._told: tuple[object, int] | None = None  # (task, boundary) of the latest inside cancel

    def way(self, action: CancelAction) -> CancelWay:
        """The way `action` asks for, or the agent's first own one, or TASK."""
        agent = self._trial.agent
        if action.way is None:
            own = next((way for way in _OWN if way in agent.cancel_ways), None)
            return own or (CancelWay.INTERRUPT if agent.style is Style.SYNC else CancelWay.TASK)
        way = CancelWay(action.way)
        if way is CancelWay.TASK and agent.style is Style.SYNC:
            raise NotApplicable(f"{agent.name} is synchronous and runs in no task")
        if way in _LEAVING and inspect.iscoroutinefunction(agent.prompt):
            raise NotApplicable(f"{agent.name} hands over no items; there is nothing to leave")
        if way in agent.cancel_ways or way in _HARNESS:
            return way
        raise NotApplicable(f"{agent.name} has no cancel by {way.value}")

    def perform(self, user: UserAction, *, inside: bool) -> None:
        """Cancel the run in progress (or nothing, if the agent is idle)."""
        action = user.action
        assert isinstance(action, CancelAction), "only cancels come here"
        way = self.way(action)
        run = self.aim(user, way)
        if way in _LEAVING:
            self._trial.consumers.leave(run, way, action.reason)
            return
        if way in _OWN and inspect.iscoroutinefunction(getattr(self._trial.agent, "cancel", None)):
            self._trial.spawn(self._awaited(way, action, run))
            return
        self.called(way, action.reason, run, inside=inside)
        if way is CancelWay.TASK:
            self._trial.consumers.cancel(run)
            return
        if way is CancelWay.INTERRUPT:
            self._trial.consumers.interrupt(run)
            return
        if way is CancelWay.TOKEN:
            self._trial.cancelled.set()
        self._by_agent(way, action)

    def check_queue(self, action: CancelAction) -> None:
        """Refuse a cancel that says what becomes of the queue, if the agent cannot hear it."""
        cancel = getattr(self._trial.agent, "cancel", None)
        if action.queue and (cancel is None or "queue" not in inspect.signature(cancel).parameters):
            name = self._trial.agent.name
            raise NotApplicable(f"{name} has no cancel that says what becomes of its queue")

    def interrupt(self, user: UserAction, *, inside: bool) -> None:
        """Ctrl-C, as an action of its own."""
        run = self.aim(user, CancelWay.INTERRUPT)
        self.called(CancelWay.INTERRUPT, "user", run, inside=inside)
        self._trial.consumers.interrupt(run)

    def aim(self, user: UserAction, way: CancelWay | None = None) -> int:
        """The run that an action is meant for; 0 if the agent is idle.

        We cancel the task, or leave the iterator, of the prompt before the action, if that is not
        over yet. What the agent is told is about the run in progress: of several prompts the one
        that was called first, wherever it stands in the script, for the others wait; and of a run
        beside the conversation only if that is idle.
        """
        in_progress, aside = self._in_progress(), self._trial.user.aside
        if way in _HARNESS and user.run in in_progress:
            return user.run
        return min(in_progress, key=lambda run: run in aside, default=0)

    def called(self, way: str, reason: str, run: int, *, inside: bool) -> None:
        """Record the call, and watch for the point at which it counts."""
        trial = self._trial
        trial.recorder.add(CancelCalled(str(way), reason, inside), run)
        if way is CancelWay.API_AFTER_TURN:
            return
        boundaries = trial.loop.boundaries
        # A task cancel says nothing to the step that calls it: it travels like one from outside.
        at_once = inside and way in (*_OWN, *_STOPS)
        if at_once:
            self._told = (self._step(), boundaries.count)
        since = boundaries.count

        def watch(quiet: bool) -> bool:
            late = boundaries.count - since >= boundaries.limits.quiet_after
            if not (quiet or late or at_once):
                return False
            trial.recorder.add(CancelEffective(), run)
            return True

        boundaries.quiet_watch.append(watch)

    def stopped(self, verb: str, args: Mapping[str, object], *, inside: bool) -> None:
        """Record a stop of the framework, which is a cancel of every run that is open.

        A `drain` lets them go on first, and when it is over only the agent knows.
        """
        if verb in _STOPS and not args.get("drain"):
            for run in sorted(self._in_progress()):
                self.called(verb, verb, run, inside=inside)

    def _in_progress(self) -> Collection[int]:
        """The runs that a stop can be for, in the order of their prompts.

        What is typed while a session is loaded has none yet.
        """
        return () if self._trial.processes.loading else self._trial.user.unsettled

    def forget(self) -> None:
        """The process that was told is gone."""
        self._told = None

    def told(self) -> bool:
        """Whether the step that runs now is the one from inside which a cancel was called."""
        if self._told is None:
            return False
        task, boundary = self._told
        return boundary == self._trial.loop.boundaries.count and task is self._step()

    def _step(self) -> object:
        """Who runs right now: the body of a thread, or a task."""
        return baton.current() or asyncio.current_task(self._trial.loop)

    async def _awaited(self, way: CancelWay, action: CancelAction, run: int) -> None:
        """Carry out a cancel that is a coroutine: it is called when its task first runs."""
        self.called(way, action.reason, run, inside=False)
        if way is CancelWay.TOKEN:
            self._trial.cancelled.set()
        answer = self._ask(way, action)
        if answer is not None:
            await answer

    def _by_agent(self, way: CancelWay, action: CancelAction) -> None:
        answer = self._ask(way, action)
        if answer is not None:
            self._trial.spawn(answer)

    def _ask(self, way: CancelWay, action: CancelAction) -> Any:
        """Call the agent's own cancel, if it has one."""
        cancel: Any = getattr(self._trial.agent, "cancel", None)
        queue = {"queue": action.queue} if action.queue else {}
        return None if cancel is None else cancel(way, action.reason, **queue)
