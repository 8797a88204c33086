"""Session stores: what stands under `store:`, and the values it becomes.

A store is one append-only text file. Its faults are counted by writes over the whole trial, those
of every process of the agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.scenario.nodes import ListNode, ScalarNode

if TYPE_CHECKING:
    from simharness.scenario.fields import Keys, Reader
    from simharness.scenario.nodes import Node

__all__ = ["Store", "StoreFault", "read_store"]

_KEYS = ("slow", "fails", "drops", "torn", "buffered", "holds")
_FAULT_KEYS = ("write", "always")


@attrs.frozen
class StoreFault:
    """A fault of write number `write` (from 1); `always`: of all later writes as well."""

    write: int
    always: bool = False
    key: str = ""

    def hits(self, number: int) -> bool:
        """Whether write `number` has the fault."""
        return number == self.write or (self.always and number > self.write)


@attrs.frozen
class Store:
    """A scripted store. `slow_s` is how long each write and each flush takes.

    `fails`: the write raises. `drops`: it says saved and writes nothing. `torn`: a kill that comes
    during the write leaves half of its line. `buffered`: a kill loses what was not flushed. `holds`
    is the text that is in the file at the beginning.
    """

    slow_s: float = 0.0
    fails: StoreFault | None = None
    drops: StoreFault | None = None
    torn: StoreFault | None = None
    buffered: bool = False
    holds: str = ""

    def promised(self) -> frozenset[str]:
        """The keys of the faults that must happen in some trial."""
        faults = (self.fails, self.drops, self.torn)
        return frozenset(fault.key for fault in faults if fault is not None)


def read_store(reader: Reader, node: Node) -> Store:
    """Read a store; nothing behind `store:` is one without faults."""
    if isinstance(node, ScalarNode) and node.value is None:
        return Store()
    keys = reader.keys(node, '"store"', _KEYS)
    return Store(
        slow_s=keys.seconds("slow"),
        fails=_fault(reader, keys, "fails"),
        drops=_fault(reader, keys, "drops"),
        torn=_fault(reader, keys, "torn"),
        buffered=keys.flag("buffered"),
        holds=_file(keys),
    )


def _file(keys: Keys) -> str:
    """A text is the file as it is; a list are its lines, each with its end."""
    node, texts = keys.get("holds"), keys.texts("holds")
    return "".join(f"{text}\n" if isinstance(node, ListNode) else text for text in texts)


def _fault(reader: Reader, keys: Keys, name: str) -> StoreFault | None:
    """A number of a write, `always`, or `{write: 2, always: true}`."""
    node = keys.get(name)
    if node is None:
        return None
    key = f"store: {name}"
    if isinstance(node, ScalarNode):
        if node.text == "always":
            return StoreFault(1, always=True, key=key)
        if isinstance(node.value, int):
            return StoreFault(reader.whole(node, f'"{name}"', least=1), key=key)
        reader.wrong(
            node,
            f'"{name}" must be the number of a write, always, or {{write: 2, always: true}}, '
            f'not "{node.text}"',
        )
        return None
    inner = reader.keys(node, f'"{name}"', _FAULT_KEYS)
    inner.required("write", f"say which write it is, as in {name}: {{write: 2, always: true}}")
    return StoreFault(inner.whole("write", 1, least=1), inner.flag("always"), key)
