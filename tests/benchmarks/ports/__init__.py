"""Programs of SCTBench (Thomson, Donaldson and Betts, PPoPP 2014) as abstract thread programs.

Each access to something shared is a step and main spawns its children one step at a time. Those
that fail in every schedule (arithmetic_prog, phase01, sync01, sync02) are left out: they measure
nothing. The trees are not those of the thread programs, so published counts are only context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.ports import buffers, guarded, races

if TYPE_CHECKING:
    from tests.benchmarks.ports.machine import Program

__all__ = ["PORTS"]

PORTS: dict[str, Program] = {
    "account": guarded.account,
    "bluetooth": races.bluetooth,
    "bounded-buffer": buffers.bounded_buffer,
    "carter": guarded.carter,
    "circular-buffer": buffers.circular_buffer,
    "deadlock": guarded.deadlock,
    "lazy": guarded.lazy,
    "queue": buffers.queue,
    "reorder-3": races.reorder(3),
    "reorder-4": races.reorder(4),
    "reorder-5": races.reorder(5),
    "reorder-10": races.reorder(10),
    "reorder-20": races.reorder(20),
    "stack": buffers.stack,
    "string-buffer": guarded.string_buffer,
    "token-ring": races.token_ring,
    "twostage-2": guarded.twostage(2),
    "twostage-20": guarded.twostage(20),
    "wrong-lock-3": guarded.wrong_lock(3),
    "wrong-lock-7": guarded.wrong_lock(7),
}
