"""Ports whose bug hides behind locks: wrong ones, too few, in the wrong order.

Each function names its original.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from tests.benchmarks.ports.locks import Lock
from tests.benchmarks.ports.machine import read, write

if TYPE_CHECKING:
    from tests.benchmarks.ports.machine import Machine, Program, Task

__all__ = ["account", "carter", "deadlock", "lazy", "string_buffer", "twostage", "wrong_lock"]


def account(machine: Machine) -> Task:
    """CS.account: the balance is wrong once both changes were made, and only then looked at."""
    lock = Lock("m")
    shared = SimpleNamespace(balance=1, deposited=False, withdrawn=False)

    def change(flag: str, amount: int) -> Task:
        yield lock.take
        yield write("balance")
        shared.balance += amount
        yield write(flag)
        setattr(shared, flag, True)
        lock.free()

    def check() -> Task:
        yield lock.take
        yield read("deposited")
        both = shared.deposited
        yield read("withdrawn")
        both = both and shared.withdrawn
        yield read("balance")
        machine.check(not both or shared.balance == -5, "the balance is wrong")
        lock.free()

    yield from machine.spawning(
        check=check(), deposit=change("deposited", 2), withdraw=change("withdrawn", -4)
    )


def lazy(machine: Machine) -> Task:
    """CS.lazy01: the third task fails if it comes behind both additions."""
    lock = Lock("m")
    shared = SimpleNamespace(data=0)

    def add(amount: int) -> Task:
        yield lock.take
        yield write("data")
        shared.data += amount
        lock.free()

    def check() -> Task:
        yield lock.take
        yield read("data")
        machine.check(shared.data < 3, "both additions were seen")
        lock.free()

    yield from machine.spawning(check=check(), one=add(1), two=add(2))


def deadlock(machine: Machine) -> Task:
    """CS.deadlock01: two locks are taken in opposite order."""
    left, right = Lock("left"), Lock("right")

    def both(first: Lock, second: Lock) -> Task:
        yield first.take
        yield second.take
        yield write("counter")
        second.free()
        first.free()

    yield from machine.spawning(t1=both(left, right), t2=both(right, left))


def carter(machine: Machine) -> Task:
    """CS.carter01: the second group waits for the lock of the first and keeps the common one."""
    common, group = Lock("m"), Lock("l")
    inside = {"A": 0, "B": 0}

    def member(name: str) -> Task:
        yield common.take
        yield write(name)
        inside[name] += 1
        if inside[name] == 1:
            yield group.take
        common.free()
        yield common.take
        yield write(name)
        inside[name] -= 1
        if not inside[name]:
            group.free()
        common.free()

    def bystander() -> Task:
        yield read("nothing")

    yield from machine.spawning(a1=member("A"), b1=member("B"), a2=bystander(), b2=bystander())


def twostage(threads: int) -> Program:
    """CS.twostage_N: a second value follows the first under another lock; a reader is faster."""

    def program(machine: Machine) -> Task:
        one, two = Lock("one"), Lock("two")
        shared = SimpleNamespace(first=0, second=0)

        def writer() -> Task:
            yield one.take
            yield write("first")
            shared.first = 1
            one.free()
            yield two.take
            yield read("first")
            first = shared.first
            yield write("second")
            shared.second = first + 1
            two.free()

        def reader() -> Task:
            yield one.take
            yield read("first")
            first = shared.first
            one.free()
            if not first:
                return
            yield two.take
            yield read("second")
            machine.check(shared.second == first + 1, "the second stage lags behind the first")
            two.free()

        writers = {f"writer{number}": writer() for number in range(threads - 1)}
        yield from machine.spawning(**writers, reader=reader())

    return program


def wrong_lock(others: int) -> Program:
    """CS.wronglock: one task increments under a lock, the others under a different one."""

    def program(machine: Machine) -> Task:
        right, wrong = Lock("right"), Lock("wrong")
        shared = SimpleNamespace(data=0)

        def careful() -> Task:
            yield right.take
            yield read("data")
            before = shared.data
            yield write("data")
            shared.data += 1
            yield read("data")
            machine.check(shared.data == before + 1, "another increment came between")
            right.free()

        def careless() -> Task:
            yield wrong.take
            yield write("data")
            shared.data += 1
            wrong.free()

        tasks = {f"careless{number}": careless() for number in range(others)}
        yield from machine.spawning(careful=careful(), **tasks)

    return program


def string_buffer(machine: Machine) -> Task:
    """CB.stringbuffer-jdk1.4: the length is read under the lock, the characters later."""
    lock = Lock("buffer")
    shared = SimpleNamespace(text="abc")

    def append() -> Task:
        yield lock.take
        yield read("text")
        length = len(shared.text)
        lock.free()
        yield write("copy")
        yield lock.take
        yield read("text")
        machine.check(len(shared.text) >= length, "characters were taken that are gone")
        lock.free()

    def erase() -> Task:
        yield lock.take
        yield write("text")
        shared.text = ""
        lock.free()
        yield lock.take
        yield write("text")
        shared.text = "abc"
        lock.free()

    yield from machine.spawning(eraser=erase())
    yield from append()
