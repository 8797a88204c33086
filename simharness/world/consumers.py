"""Running prompts: one task per prompt, the harness as consumer, and what counts as settled.

`prompt` returning, raising or being exhausted *is* the settling. An agent that yields its public
items hands them to the harness here, which may stop reading (CLOSE, BREAK) at the next item. If it
gives them by a context manager, they are read within it, as its users have to.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from simharness.agent import CancelWay, Style
from simharness.trace import AnswerReturned, Outcome, PromptCalled, RunSettled
from simharness.world.baton import Abandoned
from simharness.world.limits import TrialEnded
from simharness.world.runs import RUN

if TYPE_CHECKING:
    from simharness.scenario.model import PromptAction
    from simharness.world.trial import Trial
    from simharness.world.user import UserAction
    from simharness.world.workers import Job


class Consumers:
    """The prompts of one trial in progress."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._started: dict[int, UserAction] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._jobs: dict[int, Job] = {}
        self._leave: dict[int, tuple[CancelWay, str]] = {}
        self._interrupted: set[int] = set()
        self._begun: set[int] = set()  # runs whose task has taken its first step

    def start(self, user: UserAction) -> None:
        """Prompt the agent in a task of its own."""
        self._started[user.run] = user
        self._tasks[user.run] = self._trial.loop.create_task(self._prompt(user))

    def tasks(self) -> list[asyncio.Task[None]]:
        """The tasks that run prompts: ours, not the agent's."""
        return list(self._tasks.values())

    def drop(self) -> list[UserAction]:
        """The process is gone, and all runs in it; the prompts that are still being typed."""
        typed = [user for run, user in self._started.items() if run not in self._begun]
        for of_runs in (self._jobs, self._leave, self._tasks, self._started):
            of_runs.clear()
        self._interrupted.clear()
        return typed

    def cancel(self, run: int) -> None:
        """TASK: cancel the task that runs the prompt."""
        task = self._tasks.get(run)
        if task is not None:
            task.cancel()

    def interrupt(self, run: int) -> None:
        """INTERRUPT: Ctrl-C as `asyncio.Runner` does it; a synchronous agent gets the exception.

        The first one cancels the prompt's task. The second is raised out of the loop, whereupon
        the Runner cancels every task that is left.
        """
        if run in self._jobs:
            self._jobs[run].throw(KeyboardInterrupt())
        elif run in self._tasks and run not in self._interrupted:
            self._interrupted.add(run)
            self._tasks[run].cancel()
        elif run in self._tasks:
            unbegun = {task for other, task in self._tasks.items() if other not in self._begun}
            for task in self._trial.loop.living():
                if task not in unbegun:  # a prompt that the user is still typing
                    task.cancel()

    def leave(self, run: int, way: CancelWay, reason: str) -> None:
        """CLOSE or BREAK: leave the iterator at the next item it hands over."""
        if run:
            self._leave[run] = (way, reason)

    async def _prompt(self, user: UserAction) -> None:
        RUN.set(user.run)
        self._begun.add(user.run)
        action: PromptAction = user.action  # type: ignore[assignment]
        trial = self._trial
        session = f"ephemeral {user.run}" if action.ephemeral else action.session
        trial.recorder.add(PromptCalled(action.text, session))
        trial.user.prompted(user)
        if trial.agent.style is Style.SYNC:
            await self._in_thread(action, user.run)
            return
        how = "returned"
        error: BaseException | None = None
        try:
            answer: Any = trial.ask_agent(action)
            if hasattr(answer, "__aenter__"):
                async with answer as items:
                    how = await self._consume(items, user.run)
            elif hasattr(answer, "__aiter__"):
                how = await self._consume(answer, user.run)
            else:
                given = await answer
                if action.ephemeral:
                    trial.recorder.add(AnswerReturned(str(given)))
        except asyncio.CancelledError as exc:
            how, error = "cancelled", exc
        except MemoryError:
            raise trial.loop.boundaries.end("memory-limit", "MemoryError") from None
        except (SystemExit, KeyboardInterrupt, GeneratorExit, TrialEnded):
            raise  # the run has not settled
        except BaseException as exc:  # noqa: BLE001 - an agent may raise anything
            how, error = "raised", exc
        self._settle(user.run, how, error)

    async def _in_thread(self, action: PromptAction, run: int) -> None:
        """Run a synchronous agent in a baton thread; it settles there, where its prompt returns."""
        loop = self._trial.loop
        ended = loop.create_future()

        def body() -> None:
            how = "returned"
            error: BaseException | None = None
            try:
                answer: Any = self._trial.ask_agent(action)
                if hasattr(answer, "__iter__"):
                    how = self._consume_sync(answer, run)
            except (Abandoned, TrialEnded):
                raise
            except SystemExit:
                raise loop.boundaries.end("agent-exit", "SystemExit left the agent") from None
            except MemoryError:
                raise loop.boundaries.end("memory-limit", "MemoryError") from None
            except KeyboardInterrupt as exc:
                how, error = "interrupted", exc
            except BaseException as exc:  # noqa: BLE001 - an agent may raise anything
                how, error = "raised", exc
            self._settle(run, how, error)

        def report(_: object, error: BaseException | None) -> None:
            if not ended.done():
                ended.set_result(error)

        self._jobs[run] = loop.workers.run(body, report, "agent thread")
        try:
            await ended
        finally:
            del self._jobs[run]

    def _consume_sync(self, items: Iterator[object], run: int) -> str:
        for _ in items:
            left = self._left(run)
            if left is not None:
                if left is CancelWay.CLOSE and hasattr(items, "close"):
                    items.close()
                return "broke" if left is CancelWay.BREAK else "closed"
        return "returned"

    def _left(self, run: int) -> CancelWay | None:
        """Whether the consumer leaves at this item; leaving is when its cancel is called."""
        left = self._leave.pop(run, None)
        if left is None:
            return None
        way, reason = left
        self._trial.cancels.called(way, reason, run, inside=False)
        return way

    async def _consume(self, items: AsyncIterator[object], run: int) -> str:
        async for _ in items:
            left = self._left(run)
            if left is CancelWay.BREAK:
                return "broke"
            if left is CancelWay.CLOSE:
                close = getattr(items, "aclose", None)
                if close is not None:
                    await close()
                return "closed"
        return "returned"

    def _settle(self, run: int, how: str, error: BaseException | None) -> None:
        trial = self._trial
        text = "" if error is None else f"{type(error).__name__}: {error}".removesuffix(": ")
        try:
            outcome = self._outcome(how, error)
            trial.recorder.add(RunSettled(how, text, outcome), run)
            trial.after_settling(run)
        except Exception as exc:  # of `outcome_of` or `history`, which must not fail
            raise trial.loop.boundaries.fail(exc) from exc

    def _outcome(self, how: str, error: BaseException | None) -> Outcome | None:
        if how in {"closed", "broke"}:
            return None
        ask = getattr(self._trial.agent, "outcome_of", None)
        if ask is not None:
            found: Outcome | None = ask(error)
            return found
        if isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
            return Outcome.CANCELLED
        return None if error is None else Outcome.FAILED
