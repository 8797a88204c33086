"""What adapters of frameworks share: items looked at on their way out, the heading of a request.

An adapter hands the framework's own iterator to the harness, which is then its consumer. `Watched`
sits between the two without a generator of its own, so that closing, cancelling and abandoning
reach the framework exactly as its own users' code would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from simharness.trace import Message, Text

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Watched", "heading"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class _Closable(Protocol[T_co]):
    """What async generators and the event handles of frameworks have in common."""

    async def __anext__(self) -> T_co: ...

    async def aclose(self) -> None:
        """Close the iterator."""
        ...


class Watched(Generic[T]):
    """An iterator that shows each item to `look` just before it is handed over."""

    def __init__(self, items: _Closable[T], look: Callable[[T], None]) -> None:
        self._items = items
        self._look = look

    def __aiter__(self) -> Watched[T]:
        return self

    async def __anext__(self) -> T:
        item = await self._items.__anext__()
        self._look(item)
        return item

    async def aclose(self) -> None:
        """Close the framework's iterator."""
        await self._items.aclose()


def heading(system: str | None) -> tuple[Message, ...]:
    """The messages that head a request: the system prompt, if there is one."""
    return (Message("system", (Text(system),)),) if system else ()
