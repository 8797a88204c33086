"""What a run leaves behind, read from the objects' own flags.

A full garbage collection per trial would cost more than the trial, so a lost exception is found by
the flag that asyncio itself keeps, and open generators by the hooks.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from simharness.trace import LeftBehind
from simharness.world.tasks import coroutine_name, where

if TYPE_CHECKING:
    from simharness.world.trial import Trial

WINDOW_S = 30.0
"""How long after the settling something may still be around, in virtual seconds."""


def left_behind(trial: Trial, *, final: bool) -> list[LeftBehind]:
    """Everything that outlived the runs, in creation order."""
    current = asyncio.current_task(trial.loop)
    found: list[LeftBehind] = []
    for task in trial.loop.living():
        if task is current:
            continue
        if not task.done():
            found.append(LeftBehind("leaked-task", where(task), final))
        elif final and _unretrieved(task):
            found.append(LeftBehind("unretrieved-exception", _lost(task), final))
    if final:
        found += [
            LeftBehind("leaked-timer", _timer_name(timer), final)
            for timer in trial.loop.clock.live()
        ]
        found += [
            LeftBehind("unclosed-stream", f"request {stream.request} of run {stream.run}", final)
            for stream in trial.streams
            if stream.abandoned
        ]
        names = sorted(
            getattr(generator, "__qualname__", "generator")
            for generator in trial.loop.generators
            if getattr(generator, "ag_frame", None) is not None
        )
        found += [LeftBehind("leaked-generator", name, final) for name in names]
    return found


def _unretrieved(task: asyncio.Task[Any]) -> bool:
    return not task.cancelled() and bool(getattr(task, "_log_traceback", False))


def _lost(task: asyncio.Task[Any]) -> str:
    error = task._exception
    task._log_traceback = False
    return f"{coroutine_name(task)}: {type(error).__name__}"


def _timer_name(timer: Any) -> str:
    callback = timer._callback
    return getattr(callback, "__qualname__", type(callback).__name__)
