"""Ports whose bug is an order of plain reads and writes. Each function names its original."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from tests.benchmarks.ports.machine import read, write

if TYPE_CHECKING:
    from tests.benchmarks.ports.machine import Machine, Program, Task

__all__ = ["bluetooth", "reorder", "token_ring"]


def reorder(threads: int) -> Program:
    """CS.reorder_N: all but one write a, then b; the last must see both writes or neither."""

    def program(machine: Machine) -> Task:
        shared = SimpleNamespace(a=0, b=0)

        def setter() -> Task:
            yield write("a")
            shared.a = 1
            yield write("b")
            shared.b = -1

        def checker() -> Task:
            yield read("a")
            a = shared.a
            yield read("b")
            seen = a, shared.b
            machine.check(seen in {(0, 0), (1, -1)}, f"a half write was seen: {seen}")

        setters = {f"setter{number}": setter() for number in range(threads - 1)}
        yield from machine.spawning(**setters, checker=checker())

    return program


def token_ring(machine: Machine) -> Task:
    """CS.token_ring: three atomic copies round a ring; they agree only in the order 1, 2, 3."""
    x = [1, 2, 1]
    done = [False, False, False]

    def copy(target: int, source: int, add: int) -> Task:
        yield write("ring")
        x[target] = (x[source] + add) % 4
        done[target] = True

    def check() -> Task:
        yield read("ring")
        machine.check(not all(done) or len(set(x)) == 1, "the ring does not agree")

    yield from machine.spawning(t1=copy(0, 2, 1), t2=copy(1, 0, 0), t3=copy(2, 1, 0), t4=check())


def bluetooth(machine: Machine) -> Task:
    """CS.bluetooth_driver: the driver is stopped between main's check and its use."""
    device = SimpleNamespace(pending=1, stopping=False, event=False, stopped=False)

    def decrement() -> Task:
        yield write("pending")
        device.pending -= 1
        if not device.pending:
            yield write("event")
            device.event = True

    def stop() -> Task:
        yield write("stopping")
        device.stopping = True
        yield from decrement()
        yield read("event")
        if device.event:
            yield write("stopped")
            device.stopped = True

    yield from machine.spawning(stopper=stop())
    yield read("stopping")
    if not device.stopping:
        yield write("pending")
        device.pending += 1
        yield read("stopped")
        machine.check(not device.stopped, "the driver was used after it stopped")
    yield from decrement()
