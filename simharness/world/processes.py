"""The process that the agent lives in: its beginning, a kill, and a session that forks.

A kill drops every task of the agent where it stands and makes a fresh agent, which loads the
store; then the rest of the script goes on with it. What runs that were in progress had come to is
for the store to say.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from simharness.agent import NotApplicable
from simharness.storing import Forked, Killed, SessionLoaded, SessionRead
from simharness.world.aside import SetAside
from simharness.world.runs import RUN
from simharness.world.store import ScriptedStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from simharness.trace import Message
    from simharness.world.trial import Trial
    from simharness.world.user import UserAction

__all__ = ["Processes"]


class Processes:
    """The processes of one trial, one after the other."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._gone = SetAside()
        self.loading = False  # whether an agent is taking up the store
        self._typed: list[UserAction] = []  # prompts that wait for the session to be loaded
        script = trial.case.store
        self.store = None if script is None else ScriptedStore(trial, script)

    def check(self) -> None:
        """Refuse a case with a store, if the agent keeps no session."""
        if self.store is None:
            return
        agent = self._trial.agent
        lacks = [name for name in ("load", "stored") if getattr(agent, name, None) is None]
        if lacks:
            raise NotApplicable(f"{agent.name} keeps no session (it has no `{lacks[0]}`)")
        verbs = {getattr(action, "verb", "") for action in self._trial.case.actions}
        if "fork" in verbs and getattr(agent, "fork", None) is None:
            raise NotApplicable(f"{agent.name} has no `fork`")

    def begin(self) -> None:
        """Load the store, before the first action."""
        if self.store is not None:
            first = self._trial.user.actions[0]
            first.holds += 1
            self._load(0, lambda: setattr(first, "holds", first.holds - 1))

    def prompt(self, user: UserAction) -> None:
        """Prompt the agent, once its session is loaded."""
        if self.loading:
            self._typed.append(user)
        else:
            self._trial.consumers.start(user)

    def kill(self, user: UserAction) -> None:
        """End the process where it stands, and begin another one."""
        assert self.store is not None, "the loader refuses a kill without a store"
        trial = self._trial
        trial.recorder.add(Killed(self._drop(), self.store.unflushed), user.run)
        self.store.crash()
        self._anew(user)

    def fork(self, user: UserAction) -> None:
        """Leave the session, and go on in a copy of it as it was after a turn."""
        assert self.store is not None, "the loader refuses a fork without a store"
        action: Any = user.action
        agent: Any = self._trial.agent
        turn: int | None = action.args.get("turn")
        lines = agent.fork(self.store.load(), turn)
        self._trial.recorder.add(Forked(turn, self._drop()), user.run)
        self.store.crash()
        self.store.replace(lines)
        self._anew(user)

    def end(self) -> None:
        """The trial is over: teardown unwinds the processes that are gone, too."""
        self._gone.give_back(self._trial.loop)

    def read(self, run: int) -> None:
        """Note what the store holds, as the agent reads it."""
        if self.store is not None:
            agent: Any = self._trial.agent
            self._trial.recorder.add(SessionRead(tuple(agent.stored(self.store.text))), run)

    def _drop(self) -> tuple[int, ...]:
        """Set aside everything of the process; the runs that were in progress."""
        trial = self._trial
        self._typed += trial.consumers.drop()
        self._gone.take(trial.loop)
        trial.forget_streams()
        trial.cancels.forget()
        return tuple(sorted(trial.user.unsettled))

    def _anew(self, user: UserAction) -> None:
        trial = self._trial
        trial.user.unsettled[user.run] = None  # nothing goes on before the session is loaded
        trial.make_agent()

        def go_on() -> None:
            for run in sorted(trial.user.unsettled):
                trial.user.settled(run)

        self._load(user.run, go_on)

    def _load(self, run: int, then: Callable[[], None]) -> None:
        """Let the agent take up the store, as part of `run`, so that its writes can be anchors."""

        async def load() -> None:
            RUN.set(run)
            error = await self._taken_up()
            history: Callable[[], list[Message] | None]
            history = getattr(self._trial.agent, "history", list)
            self._trial.recorder.add(SessionLoaded(tuple(history() or ()), error), run)
            self.read(run)
            self.loading = False
            for user in self._typed:
                self.prompt(user)
            self._typed.clear()
            then()

        self.loading = True
        self._trial.loop.create_task(load())

    async def _taken_up(self) -> str:
        """Load the session; what the agent raised."""
        agent: Any = self._trial.agent
        try:
            answer = agent.load()
            if inspect.isawaitable(answer):
                await answer
        except Exception as error:  # noqa: BLE001 - an agent may raise anything
            return f"{type(error).__name__}: {error}".removesuffix(": ")
        return ""
