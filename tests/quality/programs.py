"""Small concurrent programs with one planted bug each, after the SCTBench collection.

Every access to something shared is a step of its own, and main spawns its children one step at a
time. The thread programs they are modelled on have other trees, so published counts do not compare.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.tiny import Kernel, Program, Task

__all__ = ["PROGRAMS", "reorder", "twostage"]


def _main(kernel: Kernel, *children: tuple[str, Task]) -> Task:
    """Spawn `children`, one step each."""
    for name, task in children:
        kernel.spawn(name, task)
        yield None


class _Lock:
    """Waits until it is free; `yield from lock` takes it in one step."""

    def __init__(self) -> None:
        self.held = False

    def take(self) -> Task:
        yield lambda: not self.held
        self.held = True

    def free(self) -> None:
        self.held = False


def reorder(setters: int) -> Program:
    """Setters write a, then b; a checker must see both or neither."""

    def program(kernel: Kernel) -> Task:
        shared = SimpleNamespace(a=0, b=0)

        def setter() -> Task:
            yield None
            shared.a = 1
            yield None
            shared.b = -1

        def checker() -> Task:
            yield None
            a = shared.a
            yield None
            if (a, shared.b) not in {(0, 0), (1, -1)}:
                kernel.fail("half of a write was seen")

        children = [(f"setter{number}", setter()) for number in range(setters)]
        yield from _main(kernel, *children, ("checker", checker()))

    return program


def twostage(writers: int) -> Program:
    """A second value follows the first under another lock; a reader comes in between."""

    def program(kernel: Kernel) -> Task:
        shared = SimpleNamespace(first=0, second=0)
        one, two = _Lock(), _Lock()

        def writer() -> Task:
            yield from one.take()
            shared.first = 1
            one.free()
            yield from two.take()
            shared.second = shared.first + 1
            two.free()

        def reader() -> Task:
            yield from one.take()
            first = shared.first
            one.free()
            if not first:
                return
            yield from two.take()
            if shared.second != first + 1:
                kernel.fail("the second stage lags behind the first")
            two.free()

        children = [(f"writer{number}", writer()) for number in range(writers)]
        yield from _main(kernel, *children, ("reader", reader()))

    return program


def account(kernel: Kernel) -> Task:
    """A deposit and a withdrawal read, then write: one of them is lost."""
    shared = SimpleNamespace(balance=10, done=0)

    def change(amount: int) -> Task:
        yield None
        before = shared.balance
        yield None
        shared.balance = before + amount
        shared.done += 1

    yield from _main(kernel, ("deposit", change(5)), ("withdraw", change(-3)))
    yield lambda: shared.done == 2
    if shared.balance != 12:
        kernel.fail("an update was lost")


def lazy(kernel: Kernel) -> Task:
    """Two increments under a lock; the third task fails if it sees both."""
    shared = SimpleNamespace(value=0)
    lock = _Lock()

    def add(amount: int) -> Task:
        yield from lock.take()
        shared.value += amount
        lock.free()

    def check() -> Task:
        yield from lock.take()
        if shared.value >= 3:
            kernel.fail("both increments were seen")
        lock.free()

    yield from _main(kernel, ("check", check()), ("one", add(1)), ("two", add(2)))


def deadlock(kernel: Kernel) -> Task:
    """Two tasks take two locks in opposite order."""
    left, right = _Lock(), _Lock()

    def both(first: _Lock, second: _Lock) -> Task:
        yield from first.take()
        yield from second.take()
        second.free()
        first.free()

    yield from _main(kernel, ("a", both(left, right)), ("b", both(right, left)))


def wrong_lock(kernel: Kernel) -> Task:
    """A counter is guarded by two different locks."""
    shared = SimpleNamespace(value=0, done=0)

    def add(lock: _Lock) -> Task:
        yield from lock.take()
        before = shared.value
        yield None
        shared.value = before + 1
        lock.free()
        shared.done += 1

    yield from _main(kernel, ("a", add(_Lock())), ("b", add(_Lock())))
    yield lambda: shared.done == 2
    if shared.value != 2:
        kernel.fail("an increment was lost")


def token_ring(kernel: Kernel) -> Task:
    """Four tasks each add one to their neighbour's value; read and write are two steps."""
    values = [0, 0, 0, 0]
    done: list[int] = []

    def link(number: int) -> Task:
        yield None
        before = values[number - 1]
        yield None
        values[number] = (before + 1) % 4
        done.append(number)

    yield from _main(kernel, *((f"link{number}", link(number)) for number in range(4)))
    yield lambda: len(done) == 4
    if values[1] == values[2] == values[3]:
        kernel.fail("three links read the same value")


def bluetooth(kernel: Kernel) -> Task:
    """A driver is stopped between a worker's check and its entry."""
    driver = SimpleNamespace(stopping=False, stopped=False, pending=1)

    def worker() -> Task:
        yield None
        if driver.stopping:
            return
        yield None
        driver.pending += 1
        yield None
        if driver.stopped:
            kernel.fail("the driver was used after it stopped")
        driver.pending -= 1

    def stopper() -> Task:
        yield None
        driver.stopping = True
        yield None
        driver.pending -= 1
        yield lambda: driver.pending == 0
        driver.stopped = True

    yield from _main(kernel, ("worker", worker()), ("stopper", stopper()))


def bounded_buffer(kernel: Kernel) -> Task:
    """A consumer checks with `if` that there is an item, and another one takes it."""
    items: list[int] = []

    def consumer() -> Task:
        yield None
        if not items:
            return
        yield None
        if not items:
            kernel.fail("the item was taken by another consumer")
            return
        items.pop()

    def producer() -> Task:
        yield None
        items.append(1)

    yield from _main(kernel, ("p", producer()), ("c1", consumer()), ("c2", consumer()))


PROGRAMS: dict[str, Program] = {
    "account": account,
    "bluetooth": bluetooth,
    "bounded-buffer": bounded_buffer,
    "deadlock": deadlock,
    "lazy": lazy,
    "reorder-3": reorder(3),
    "reorder-10": reorder(10),
    "token-ring": token_ring,
    "twostage-2": twostage(2),
    "twostage-20": twostage(20),
    "wrong-lock": wrong_lock,
}
