"""Delay: the default schedule, but a few times the source in front is held back.

It waits until another one has made a step of the same topic, or until no other can go on. So the
order of two steps that may race is turned round, and nothing else. A bounded number of delays of a
deterministic scheduler is delay-bounded scheduling (Emmi, Qadeer and Rakamarić, POPL 2011), the
race as the end of a delay is from race-directed testing (Sen, PLDI 2008).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simharness.search.draws import draws
from simharness.search.sampler import LengthSampler

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.choices import Chooser, Option
    from simharness.search.plan import Known

__all__ = ["Delay"]

_SHARE: Final = 0.2
"""Of the choice points."""


class Delay(LengthSampler):
    """Delays at a fifth of the choice points, at one at least; how many there are is learned.

    The places are dealt out like cards: each of them comes once before one comes again.
    """

    def __init__(self, *, seed: int = 0, known: Known | None = None) -> None:
        super().__init__("delay", seed, known)

    def numbered(self, number: int) -> Chooser:
        """Deal the next places."""
        points = max(1, self.points)
        many = max(1, round(points * _SHARE))
        deal, place = divmod(number * many, points)
        # A hand may be the rest of one deal and the beginning of the next.
        cards = self._deck(deal, points) + self._deck(deal + 1, points)
        return _Delaying(set(cards[place : place + many]))

    def _deck(self, deal: int, points: int) -> list[int]:
        """Return all places in the order in which they are dealt out."""
        random = draws(self.name, seed=self.seed, trial=deal)
        return random.sample(range(points), points)


class _Delaying:
    """Takes the first option of a source that is not held back."""

    def __init__(self, places: set[int]) -> None:
        self._places = places
        self._point = -1
        self._held: dict[str, str] = {}  # source -> topic of its step

    def choose(self, options: Sequence[Option]) -> int:
        """Return the first option, or the one behind it at a place that was drawn."""
        self._point += 1
        free = [number for number, option in enumerate(options) if option.owner not in self._held]
        if not free:
            del self._held[options[0].owner]
            return 0
        if self._point in self._places and len(free) > 1:
            late = options[free.pop(0)]
            self._held[late.owner] = late.topic
        self._let_go(options[free[0]].topic)
        return free[0]

    def _let_go(self, topic: str) -> None:
        """Hold no longer what waits for a step of `topic`."""
        if topic:
            self._held = {owner: waits for owner, waits in self._held.items() if waits != topic}
