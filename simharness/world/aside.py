"""What a killed process leaves in the loop, set aside until the trial is over.

Nothing of it ever runs again while the trial lasts: no step of a task, no timer, no `finally`, no
thread. Teardown unwinds it like everything else, when nothing is recorded any more.
"""

from __future__ import annotations

import asyncio
import weakref
from typing import TYPE_CHECKING, Any

import attrs

from simharness.choices import Kind
from simharness.world.handles import Handle

if TYPE_CHECKING:
    from simharness.world.eventloop import SimLoop
    from simharness.world.handles import Ready
    from simharness.world.sources import Source
    from simharness.world.workers import Job

__all__ = ["SetAside"]

_USERS = {Kind.ACTION, Kind.ANYWHERE}


@attrs.define(eq=False)
class SetAside:
    """Everything of killed processes; kept alive, so that nothing of it is collected."""

    _handles: list[Ready] = attrs.field(factory=list)
    _tasks: list[asyncio.Task[Any]] = attrs.field(factory=list)
    _generators: list[Any] = attrs.field(factory=list)
    _jobs: list[Job] = attrs.field(factory=list)

    def take(self, loop: SimLoop) -> None:
        """Take all that the process has in `loop`: everything but the actions of the user."""
        for place, handle in enumerate(loop.ready):
            if not _of_user(handle):
                self._handles.append(handle)
                loop.ready[place] = Handle(_nothing, (), handle._context)
        for timer in loop.clock.live():
            timer.cancel()
        self._tasks += loop.forget()
        self._generators += loop.open_generators()
        loop.generators.clear()
        self._jobs += loop.workers.take_all()
        boundaries = loop.boundaries
        boundaries.polls.clear()
        boundaries.quiet_watch.clear()
        boundaries.sources.clear()
        boundaries.threads[:] = [one for one in boundaries.threads if _by_user(one)]

    def give_back(self, loop: SimLoop) -> None:
        """The trial is over: let teardown find everything."""
        loop.ready.extend(self._handles)
        loop.remember(self._tasks)
        loop.generators += map(weakref.ref, self._generators)
        loop.workers.jobs.extend(self._jobs)
        self._handles.clear()
        self._generators.clear()
        self._jobs.clear()


def _nothing() -> None:
    """What is left of a handle whose process is gone."""


def _by_user(source: Source) -> bool:
    return source.option.kind in _USERS


def _of_user(handle: Ready) -> bool:
    """Whether a handle is an action of the user on its way."""
    option = getattr(next(iter(handle._args), None), "option", None)
    return option is not None and option.kind in _USERS
