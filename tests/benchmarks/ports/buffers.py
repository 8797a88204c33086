"""Ports in which producers and consumers get out of step. Each function names its original."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from tests.benchmarks.ports.locks import Condition, Lock
from tests.benchmarks.ports.machine import read, write

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.benchmarks.ports.machine import Access, Machine, Task

__all__ = ["bounded_buffer", "circular_buffer", "queue", "stack"]

_ROUNDS = 7


def stack(machine: Machine) -> Task:
    """CS.stack: ten pushes and ten pops; a flag that is never taken back guards only the first."""
    lock = Lock("m")
    shared = SimpleNamespace(top=0, flag=False)

    def push() -> Task:
        for _ in range(10):
            yield lock.take
            yield write("top")
            shared.top += 1
            yield write("flag")
            shared.flag = True
            lock.free()

    def pop() -> Task:
        for _ in range(10):
            yield lock.take
            yield read("flag")
            if shared.flag:
                yield write("top")
                shared.top -= 1
                machine.check(shared.top >= 0, "popped from an empty stack")
            lock.free()

    yield from machine.spawning(pusher=push(), popper=pop())


def circular_buffer(machine: Machine) -> Task:
    """CS.circular_buffer: a round in which nobody may send or receive shifts the two counts."""
    lock = Lock("m")
    shared = SimpleNamespace(send=True, receive=False)
    buffer: list[int] = []

    def sender() -> Task:
        for number in range(_ROUNDS):
            yield lock.take
            yield read("send")
            if shared.send:
                yield write("buffer")
                buffer.append(number)
                yield write("send")
                shared.send, shared.receive = False, True
            lock.free()

    def receiver() -> Task:
        for number in range(_ROUNDS):
            yield lock.take
            yield read("receive")
            if shared.receive:
                yield write("buffer")
                machine.check(buffer.pop(0) == number, "another element was expected")
                yield write("receive")
                shared.send, shared.receive = True, False
            lock.free()

    yield from machine.spawning(sender=sender(), receiver=receiver())


def queue(machine: Machine) -> Task:
    """CS.queue: as the circular buffer, the first element going in whatever the flags say."""
    lock = Lock("m")
    shared = SimpleNamespace(enqueue=True, dequeue=False)
    items: list[int] = []
    stored: list[int | None] = [None] * _ROUNDS

    def put(number: int) -> Task:
        yield write("queue")
        items.append(number)
        yield write("stored")
        stored[number] = number

    def producer() -> Task:
        yield lock.take
        yield from put(0)
        lock.free()
        for number in range(1, _ROUNDS):
            yield lock.take
            yield read("enqueue")
            if shared.enqueue:
                yield from put(number)
                shared.enqueue, shared.dequeue = False, True
            lock.free()

    def consumer() -> Task:
        for number in range(_ROUNDS):
            yield lock.take
            yield read("dequeue")
            if shared.dequeue:
                yield write("queue")
                item = items.pop(0)
                yield read("stored")
                machine.check(item == stored[number], "another element was expected")
                shared.enqueue, shared.dequeue = True, False
            lock.free()

    yield from machine.spawning(producer=producer(), consumer=consumer())


def bounded_buffer(machine: Machine) -> Task:
    """The monitor of the textbooks with one condition for both sides: a signal wakes the wrong one.

    Two producers and two consumers of two items each, and room for one.
    """
    lock = Lock("m")
    changed = Condition("changed", lock)
    items: list[int] = []

    def until(wanted: int) -> Generator[Access, None, None]:
        yield read("items")
        while len(items) != wanted:
            yield from changed.wait()
            yield read("items")

    def producer() -> Task:
        for number in range(2):
            yield lock.take
            yield from until(0)
            yield write("items")
            items.append(number)
            changed.signal()
            lock.free()

    def consumer() -> Task:
        for _ in range(2):
            yield lock.take
            yield from until(1)
            yield write("items")
            items.pop()
            changed.signal()
            lock.free()

    yield from machine.spawning(p1=producer(), c1=consumer(), p2=producer(), c2=consumer())
