"""Selective: the steps of one topic come in an order that is uniform among all their orders.

After SURW (Zhao, Wolff, Mathur and Roychoudhury, "Selectively Uniform Concurrency Testing", ASPLOS
2025): a random walk favours the sources that are offered first and longest; weighted by how many
steps each has left, every interleaving is as likely as any other. As all of them are too many, each
trial is uniform over the steps of one topic only. Two things differ here. A source that has not
appeared yet can be the next one too; the topic then waits for it, where SURW lets the parent stand
for its children. And what is not of the topic follows random priorities instead of a walk: those of
sources in one half of the trials and those of steps in the other, since a bug may need one source
to run far ahead, or all of them to mix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.search.priorities import SourcePriorities, StepPriorities
from simharness.search.sampler import Sampler
from simharness.search.steps import Steps, counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from simharness.choices import Chooser, Course, Option
    from simharness.search.plan import Known
    from simharness.search.priorities import Priorities
    from simharness.search.steps import Counts

__all__ = ["Selective"]


class Selective(Sampler):
    """Learns how many steps of which topic each source makes; draws a topic per trial.

    Where no topics are known, all steps are of one.
    """

    learns = True

    def __init__(self, *, seed: int = 0, known: Known | None = None) -> None:
        super().__init__("selective", seed, known)
        self._counts: Counts = {}

    def chooser(self, random: Random) -> Chooser:
        """Draw a topic that more than one source touches."""
        topics = sorted(topic for topic, steps in self._counts.items() if len(steps) > 1)
        draw = random.random
        topic = topics[int(draw() * len(topics))] if topics else ""
        return _Selecting(random, topic, dict(self._counts.get(topic, {})))

    def lesson(self, course: Course) -> Counts:
        """Return how many steps of each topic each source made."""
        return counted(course)

    def learn(self, counts: Counts) -> None:
        """Keep the most steps seen, since a trial may end early. Older copies must not change."""
        known = dict(self._counts)
        for topic, steps in counts.items():
            before = known.get(topic, {})
            known[topic] = {**before, **{o: max(n, before.get(o, 0)) for o, n in steps.items()}}
        self._counts = known


class _Selecting:
    """Lets only the source drawn as the next one make a step of the topic."""

    def __init__(self, random: Random, topic: str, left: dict[str, int]) -> None:
        self._random = random.random
        self._topic = topic
        self._left = left
        self._next = ""
        self._steps = Steps(self._spend)
        kind = SourcePriorities if left and self._random() < 0.5 else StepPriorities
        self._priorities: Priorities = kind(random)

    def choose(self, options: Sequence[Option]) -> int:
        """Return an option that is not of the topic, or the topic's next."""
        self._steps.offered(options)
        if not self._next and self._left:
            self._next = self._draw(list(self._left))
        free = [
            number
            for number, option in enumerate(options)
            if option.topic != self._topic
            or option.owner == self._next
            or option.owner not in self._left
        ]
        number = self._priorities.first(options, free) if free else self._next_of(options)
        self._steps.took(options[number])
        return number

    def _next_of(self, options: Sequence[Option]) -> int:
        """Draw again among `options`, all of the topic: the next one cannot come now."""
        owners = [option.owner for option in options]
        return owners.index(self._draw(owners))

    def _draw(self, owners: list[str]) -> str:
        """Draw one of `owners` by the steps they have left."""
        weights = [self._left[owner] for owner in owners]
        drawn = self._random() * sum(weights)
        for owner, weight in zip(owners, weights, strict=True):
            drawn -= weight
            if drawn < 0:
                return owner
        return owners[-1]

    def _spend(self, option: Option) -> None:
        """Count a step that was made, whether it was chosen or the only one."""
        if option.topic != self._topic:
            return
        left = self._left.pop(option.owner, 0) - 1
        if left > 0:
            self._left[option.owner] = left
        if option.owner == self._next:
            self._next = ""
