"""What a run leaves behind, read from the objects' own flags.

A full garbage collection per trial would cost more than the trial, so a lost exception is found by
the flag that asyncio itself keeps, and open generators by the hooks.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

from simharness.agent import Style
from simharness.trace import LeftBehind
from simharness.world.handles import describe
from simharness.world.tasks import coroutine_name, where

if TYPE_CHECKING:
    from simharness.world.eventloop import SimLoop
    from simharness.world.trial import Trial

WINDOW_S = 30.0
"""How long after the settling something may still be around, in virtual seconds."""


def left_behind(trial: Trial, *, final: bool) -> list[LeftBehind]:
    """Everything that outlived the runs of a trial, in creation order."""
    loop = trial.loop
    agent: Any = trial.agent
    child = agent.style is Style.CHILD  # then what is on this loop serves the bridge
    own = {asyncio.current_task(loop), *trial.consumers.tasks()}
    found = agent.left(final=final) if child else pending_tasks(loop, own, final=final)
    if final:
        names = {"leaked-thread": []} if child else left_on_loop(loop)
        names["unclosed-stream"] = [
            f"request {stream.request} of run {stream.run}"
            for stream in trial.streams
            if stream.abandoned
        ]
        names["leaked-thread"] += sorted(
            thread.name.rstrip("0123456789-") for thread in real_threads() - trial.threads
        )
        found += [LeftBehind(kind, name, final) for kind in names for name in names[kind]]
    return found


def pending_tasks(
    loop: SimLoop, own: set[asyncio.Task[Any] | None], *, final: bool
) -> list[LeftBehind]:
    """Tasks that are not done, and finally those whose exception nobody looked at."""
    found: list[LeftBehind] = []
    for task in loop.living():
        if task in own:
            continue
        if not task.done():
            found.append(LeftBehind("leaked-task", where(task), final))
        elif final and _unretrieved(task):
            found.append(LeftBehind("unretrieved-exception", _lost(task), final))
    return found


def left_on_loop(loop: SimLoop) -> dict[str, list[str]]:
    """Timers, generators and worker threads that are still there at the very end."""
    return {
        "leaked-timer": [describe(timer) for timer in loop.clock.live()],
        "leaked-generator": sorted(
            getattr(generator, "__qualname__", "generator")
            for generator in loop.open_generators()
            if getattr(generator, "ag_frame", None) is not None
        ),
        "leaked-thread": [job.where() for job in loop.workers.jobs if job.blocked],
    }


def real_threads() -> set[threading.Thread]:
    """The threads that somebody started and that are still alive; ours do not count."""
    return {
        thread for thread in threading.enumerate() if not isinstance(thread, threading._DummyThread)
    }


def _unretrieved(task: asyncio.Task[Any]) -> bool:
    return not task.cancelled() and bool(getattr(task, "_log_traceback", False))


def _lost(task: asyncio.Task[Any]) -> str:
    error = task._exception
    task._log_traceback = False
    return f"{coroutine_name(task)}: {type(error).__name__}"
