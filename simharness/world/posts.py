"""Posts from other threads: what arrives by `call_soon_threadsafe` from a thread of its own.

A thread's posts keep their order. Each may come at a loop boundary like any delivery, or between
two handles of a running iteration; it then runs in the next iteration, ahead of what later handles
schedule. Called on the loop's own thread, `call_soon_threadsafe` is plain `call_soon`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import TYPE_CHECKING, Any

from simharness.choices import Kind
from simharness.world.clock import INFINITY
from simharness.world.sources import Source

if TYPE_CHECKING:
    from simharness.world.eventloop import SimLoop

Post = tuple[Callable[..., object], tuple[Any, ...], Context | None, float]


class Thread(Source):
    """One thread outside the loop and the posts it has yet to make."""

    __slots__ = ("_posts",)

    def __init__(self, loop: SimLoop, name: str) -> None:
        super().__init__(loop, f"post of {name}", Kind.POST)
        self._posts: deque[Post] = deque()
        loop.boundaries.threads.append(self)

    def post(
        self,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
        due: float | None = None,
    ) -> None:
        """Make the thread post `callback` at virtual time `due` (now, if not given) or later."""
        self._posts.append((callback, args, context, self.loop.clock.now if due is None else due))
        self.due = self._posts[0][3]

    def deliver(self) -> None:
        """Enqueue the thread's next post."""
        callback, args, context, _ = self._posts.popleft()
        self.due = self._posts[0][3] if self._posts else INFINITY
        self.loop.call_soon(callback, *args, context=context)
