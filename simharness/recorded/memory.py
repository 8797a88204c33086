"""What a checker remembers of a trace, within bounds: what is open, and which ids it has seen."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final, Generic, TypeVar

__all__ = ["OPEN_MAX", "SEEN_MAX", "Opened", "Seen", "TooMuchError"]

OPEN_MAX: Final = 100_000
"""Things of one kind that may be open at once; a trace with more cannot be checked."""

SEEN_MAX: Final = 50_000
"""Ids that are remembered; of older ones a checker no longer says anything."""

T = TypeVar("T")


class TooMuchError(Exception):
    """There is more than a checker keeps. Who calls it knows the place."""


class Opened(Generic[T]):
    """Open things by their key, each with what has to be known of it."""

    def __init__(self) -> None:
        self._open: dict[Hashable, T] = {}

    def add(self, key: Hashable, value: T) -> None:
        """Open `key`; raises TooMuchError rather than forget another."""
        if len(self._open) >= OPEN_MAX:
            raise TooMuchError(f"more than {OPEN_MAX} things are open at once")
        self._open[key] = value

    def get(self, key: Hashable) -> T | None:
        """What is known of `key` if it is open."""
        return self._open.get(key)

    def pop(self, key: Hashable) -> T | None:
        """Close `key`; None if it was not open."""
        return self._open.pop(key, None)

    def clear(self) -> None:
        """Close everything."""
        self._open.clear()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._open

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._open)

    def values(self) -> Iterator[T]:
        """What is known of each open thing."""
        return iter(self._open.values())


class Seen(Generic[T]):
    """The latest ids, each with a value. An id that may have been forgotten is not unknown."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, T] = {}
        self._forgets = False

    def add(self, key: Hashable, value: T) -> None:
        """Remember `key`, and forget the oldest if there are too many."""
        if key not in self._seen and len(self._seen) >= SEEN_MAX:
            self._forgets = True
            del self._seen[next(iter(self._seen))]
        self._seen[key] = value

    def get(self, key: Hashable) -> T | None:
        """The value of `key`, if it is remembered."""
        return self._seen.get(key)

    def forget(self, key: Hashable) -> None:
        """Know nothing of `key` any more, as if it were new."""
        self._seen.pop(key, None)

    def unknown(self, key: Hashable) -> bool:
        """Whether `key` has certainly never been seen."""
        return key not in self._seen and not self._forgets

    def clear(self) -> None:
        """Forget everything, and that anything was forgotten."""
        self._seen.clear()
        self._forgets = False
