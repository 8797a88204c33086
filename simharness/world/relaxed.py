"""Relaxed mode: ready task steps may also run in another order.

Stock asyncio never does this, so a failure found only here is called relaxed and is no bug report.
Callbacks that are not task steps keep their places.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from simharness.choices import Kind, Option
from simharness.world.handles import Ready
from simharness.world.tasks import coroutine_name


def permute_steps(ready: deque[Ready], choose: Callable[[tuple[Option, ...]], int]) -> None:
    """Let `choose` order the task steps in `ready`, in place; option 0 keeps FIFO."""
    places = [place for place, handle in enumerate(ready) if _task(handle) is not None]
    steps = [ready[place] for place in places]
    for place in places[:-1]:
        chosen = choose(tuple(_option(step) for step in steps)) if len(steps) > 1 else 0
        ready[place] = steps.pop(chosen)
    if places:
        ready[places[-1]] = steps[0]


def _task(handle: Ready) -> asyncio.Task[object] | None:
    if handle._cancelled:
        return None
    owner = getattr(handle._callback, "__self__", None)
    return owner if isinstance(owner, asyncio.Task) and not owner.done() else None


def _option(handle: Ready) -> Option:
    task = _task(handle)
    assert task is not None, "only task steps are permuted"
    name = coroutine_name(task)
    return Option(f"step of {name}", Kind.STEP, name)
