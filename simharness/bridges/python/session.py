"""One trial in the child: its loop, its agent and its runs."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from simharness.agent import CancelWay, NotApplicable
from simharness.bridges import down, up
from simharness.bridges.python.childworld import ChildWorld
from simharness.bridges.python.desk import Desk
from simharness.choices import ScheduleChooser
from simharness.trace import Outcome
from simharness.world.clock import INFINITY, RESOLUTION_S
from simharness.world.determinism import new_trial
from simharness.world.eventloop import SimLoop
from simharness.world.kernel import tear_down
from simharness.world.leaks import left_on_loop, pending_tasks
from simharness.world.limits import TrialEnded
from simharness.world.runs import RUN

if TYPE_CHECKING:
    from simharness.agent import Agent, AgentFactory
    from simharness.bridges.down import Down
    from simharness.bridges.up import Idle, Limit

__all__ = ["Session"]

_OF_STREAM = (down.Deliver, down.End, down.Break, down.Unread)
_OF_CALL = (down.Result, down.Failure, down.Dropped)


class Session:
    """A fresh agent on a loop of its own, driven message by message."""

    def __init__(
        self, factory: AgentFactory, offered: down.Open, write: Callable[[bytes], None]
    ) -> None:
        self._loop = SimLoop(ScheduleChooser())
        self._loop.boundaries.free = False  # what is chosen is chosen by the harness
        self.desk = desk = Desk(self._loop, write)
        self._loop.on_error = self._lost
        self._loop.on_blocked = lambda record: desk.say(up.Blocked(record.seconds))
        self._tasks: dict[int, asyncio.Task[None]] = {}
        new_trial(self._loop)
        self._loop.__enter__()
        self._world = ChildWorld(self._loop, desk, offered.tools)
        self._agent: Any = None
        try:
            self._agent = factory(self._world)
        except NotApplicable as cannot:
            desk.say(up.Unable(str(cannot)))

    @property
    def agent(self) -> Agent:
        """The agent of the trial."""
        agent: Agent = self._agent
        return agent

    def close(self) -> None:
        """Unwind what is left."""
        self.desk.close()
        tear_down(self._loop)
        self._loop.__exit__()

    def take(self, message: Down, at: float) -> Idle | Limit:
        """Do what the harness says at virtual time `at`, until nothing is left to do."""
        self._loop.clock.now = max(self._loop.clock.now, at)
        match message:
            case down.Prompt():
                self._loop.from_outside(self._start, message)
            case down.Cancel():
                self._loop.from_outside(self._cancel, message)
            case down.Do(verb=verb, args=args):
                self._loop.from_outside(self._do, verb, dict(args))
            case down.Configure(settings=settings):
                self._configure(dict(settings))
            case down.AskHistory():
                messages = self._agent.history()
                self.desk.say(up.History(None if messages is None else tuple(messages)))
            case down.AskLeft(final=final):
                self.desk.say(self._left(final=final))
            case _:
                self._hand_over(message)
        return self._until_quiet()

    def _until_quiet(self) -> Idle | Limit:
        loop, desk = self._loop, self.desk
        try:
            while True:
                while loop.ready or loop.boundaries.next_s() <= loop.clock.now + RESOLUTION_S:
                    loop.boundaries.step()
                said = desk.said
                for look in tuple(loop.boundaries.polls):
                    look()
                if not loop.ready and said == desk.said:
                    break
        except TrialEnded as ended:
            return up.Limit(ended.limit, ended.detail)
        wake = loop.boundaries.next_s()
        return up.Idle(None if wake == INFINITY else wake)

    def _hand_over(self, message: Down) -> None:
        """Give an answer to whoever waits for it, as a delivery of its own."""
        if isinstance(message, _OF_STREAM):
            key = ("stream", message.stream)
        elif isinstance(message, _OF_CALL):
            key = ("call", message.call)
        elif isinstance(message, down.Closed):
            key = ("close", message.stream)
        else:  # `Wake` brings only the time
            return
        self._loop.from_outside(self.desk.hand_over, key, message)

    # --- runs -------------------------------------------------------------------------------------

    def _start(self, prompt: down.Prompt) -> None:
        self._tasks[prompt.run] = self._loop.create_task(self._run(prompt))

    async def _run(self, prompt: down.Prompt) -> None:
        RUN.set(prompt.run)
        error: BaseException | None = None
        how = "returned"
        try:
            words = {} if prompt.stream else {"stream": False}
            await _consumed(self._agent.prompt(prompt.text, **words))
        except asyncio.CancelledError as exc:
            how, error = "cancelled", exc
        except NotApplicable as cannot:
            self.desk.say(up.Unable(str(cannot)))
            return
        except (SystemExit, KeyboardInterrupt, GeneratorExit, TrialEnded):
            raise  # the run has not settled
        except BaseException as exc:  # noqa: BLE001 - an agent may raise anything
            how, error = "raised", exc
        text = "" if error is None else f"{type(error).__name__}: {error}".removesuffix(": ")
        self.desk.say(up.Settled(prompt.run, how, text, self._outcome(error)))  # type: ignore[arg-type]

    def _outcome(self, error: BaseException | None) -> Outcome | None:
        ask = getattr(self._agent, "outcome_of", None)
        if ask is not None:
            found: Outcome | None = ask(error)
            return found
        if isinstance(error, asyncio.CancelledError):
            return Outcome.CANCELLED
        return None if error is None else Outcome.FAILED

    def _cancel(self, cancel: down.Cancel) -> None:
        way = CancelWay(cancel.way)
        if way is CancelWay.TASK:
            task = self._tasks.get(cancel.run)
            if task is not None:
                task.cancel()
            return
        if way is CancelWay.TOKEN:
            self._world.cancelled.set()
        if hasattr(self._agent, "cancel"):
            self._spawn(self._agent.cancel(way, cancel.reason))

    def _do(self, verb: str, args: dict[str, Any]) -> None:
        self._spawn(getattr(self._agent, verb)(**args))

    def _spawn(self, answer: Awaitable[Any] | None) -> None:
        if inspect.isawaitable(answer):

            async def call() -> None:
                await answer

            self._loop.create_task(call())

    def _configure(self, settings: dict[str, Any]) -> None:
        self.desk.say(up.Refused(tuple(sorted(self._agent.configure(settings)))))

    def _left(self, *, final: bool) -> up.Left:
        left = pending_tasks(self._loop, set(self._tasks.values()), final=final)
        found = [(one.kind, one.what) for one in left]
        if final:
            on_loop = left_on_loop(self._loop)
            found += [(kind, name) for kind, names in on_loop.items() for name in names]
        return up.Left(tuple(up.Leftover(kind, what) for kind, what in found))

    def _lost(self, message: str, error: BaseException | None) -> None:
        name = "" if error is None else f"{type(error).__name__}: {error}"
        self.desk.say(up.Lost(message, name))


async def _consumed(answer: Any) -> None:
    """Consume what a prompt gave, as the harness does."""
    if hasattr(answer, "__aenter__"):
        async with answer as items:
            async for _ in items:
                pass
    elif hasattr(answer, "__aiter__"):
        async for _ in answer:
            pass
    else:
        await answer
