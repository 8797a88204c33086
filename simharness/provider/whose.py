"""Whose a piece of arguments is: the calls that a stream makes, by their places in its message.

Providers leave out the id of a call or send it late, name a call twice, use an index again. The
pieces at one index are of one call until another id comes there, the message is over or the answer
begins anew. What comes for a call that was ended is of no call, unless it has an id of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.scenario.model import ArgsStep, CallStep, EndStep, Mark, MarkStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from simharness.scenario.model import Step

__all__ = ["Place", "places"]

_NO_PLACE = -1


@attrs.define
class _Call:
    """What all pieces of a call say of it, together: the latest id and name count.

    `ended`: its block was. `past`: so was its message, or the answer began anew.
    """

    id: str = ""
    name: str = ""
    ended: bool = False
    past: bool = False

    def differs(self, call_id: str) -> bool:
        """Whether a call with this id that comes at the same index is another one."""
        known = bool(self.id) or self.ended
        return self.past or (known and bool(call_id) and call_id != self.id)


@attrs.frozen
class Place:
    """Where a step stands: the index that it sends, and the id and name that it sends, if any."""

    index: int
    id: str = ""
    name: str = ""
    _call: _Call | None = None

    @property
    def whose(self) -> tuple[str, str, int]:
        """Id, name and index of the call that it belongs to. What is of none has index -1."""
        if self._call is None:
            return self.id, self.name, _NO_PLACE
        return self._call.id, self._call.name, self.index


def places(steps: Iterable[Step], fresh_id: Callable[[], str]) -> list[Place]:
    """The places of all calls, further pieces and ends of calls among `steps`, in order."""
    reader = _Reader(fresh_id)
    return [place for step in steps if (place := reader.read(step)) is not None]


class _Reader:
    def __init__(self, fresh_id: Callable[[], str]) -> None:
        self._fresh_id = fresh_id
        self._at: dict[int, _Call] = {}
        self._last = -1

    def read(self, step: Step) -> Place | None:
        match step:
            case CallStep(name=name, id=given, index=index):
                place = self._last + 1 if index is None else index
                self._last = max(self._last, place)
                return self._call(place, self._fresh_id() if given is None else given, name)
            case ArgsStep(index=index):
                return self._piece(self._index(index))
            case MarkStep(mark=Mark.CALL_END, index=index):
                return self._end(self._index(index))
            case EndStep() | MarkStep(mark=Mark.RETRYING):
                for call in self._at.values():
                    call.past = True
        return None

    def _index(self, written: int | None) -> int:
        """The index of a step about an earlier call: without a number the latest."""
        return max(self._last, 0) if written is None else written

    def _call(self, index: int, call_id: str, name: str) -> Place:
        call = self._at.get(index)
        if call is None or call.differs(call_id):
            call = self._at[index] = _Call()
        elif call.ended:
            return Place(index, call_id, name)
        call.id = call_id or call.id
        call.name = name or call.name
        return Place(index, call_id, name, call)

    def _piece(self, index: int) -> Place:
        call = self._at.setdefault(index, _Call())
        return Place(index, call=None if call.ended and not call.past else call)

    def _end(self, index: int) -> Place:
        if (call := self._at.get(index)) is not None:
            call.ended = True
        return Place(index)
