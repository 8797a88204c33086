"""Locks and condition variables for abstract thread programs. Taking one is a step, freeing is not.

What a task does between two steps nobody can see, so a lock that is freed behind an access is free
with that access.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.ports.machine import Access

if TYPE_CHECKING:
    from tests.benchmarks.ports.machine import Task

__all__ = ["Condition", "Lock"]


class Lock:
    """Not reentrant. `yield lock.take` waits until it is free and takes it."""

    def __init__(self, name: str) -> None:
        self._held = False
        self.take = Access(f"take {name}", name, self._free, self._taken)

    def free(self) -> None:
        """Let the next task take it."""
        self._held = False

    def _free(self) -> bool:
        return not self._held

    def _taken(self) -> None:
        self._held = True


class Condition:
    """A condition variable of `lock`. A signal without a waiter is lost, as with threads."""

    def __init__(self, name: str, lock: Lock) -> None:
        self._name = name
        self._lock = lock
        self._waiters: list[object] = []

    def wait(self) -> Task:
        """Free the lock, wait for a signal, take the lock again."""
        ticket = object()
        self._waiters.append(ticket)
        self._lock.free()
        yield Access(f"wake {self._name}", self._name, lambda: ticket not in self._waiters)
        yield self._lock.take

    def signal(self) -> None:
        """Wake the task that waits longest."""
        if self._waiters:
            self._waiters.pop(0)
