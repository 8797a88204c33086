"""Exact counts: the search enumerates what can be counted by hand, and knows when it is done."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from simharness.choices import ScheduleChooser
from simharness.search import Bounded, Stop, explore
from simharness.world.kernel import play
from tests.tiny import family, running

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from simharness.world.eventloop import SimLoop

COUNTS = [
    (4, (4,), 252),  # C(10, 5)
    (0, (4,), 6),  # C(6, 1)
    (3, (3, 3), 50_050),  # 34,650 + 11,550 + 3,150 + 630 + 70, by the first child's lead
]
"""Yields of main, yields of each child, interleavings."""


@pytest.mark.parametrize(("main", "children", "count"), COUNTS)
def test_every_interleaving_is_enumerated_once(
    main: int, children: tuple[int, ...], count: int
) -> None:
    """As many trials as interleavings, all different, and nothing is left."""
    search = Bounded(None)
    exploration = explore(running(family(main, *children)), search, 100_000)
    different = sum(1 for _ in exploration)
    assert (count, count) == (different, exploration.trials)
    assert Stop.EXHAUSTED is exploration.stop
    assert f"exhausted: all {count:,} schedules" == search.describe()


def asyncio_family(main: int, *children: int) -> Callable[[SimLoop], Awaitable[object]]:
    """The same program on an event loop."""

    async def steps(count: int) -> None:
        for _ in range(count):
            await asyncio.sleep(0)

    async def program() -> None:
        tasks = []
        for count in children:
            tasks.append(asyncio.ensure_future(steps(count)))
            await asyncio.sleep(0)
        await steps(main)
        await asyncio.gather(*tasks)

    return lambda _: program()


@pytest.mark.parametrize(("main", "children", "count"), COUNTS)
def test_on_an_event_loop_each_of_these_programs_has_one_schedule(
    main: int, children: tuple[int, ...], count: int
) -> None:
    """asyncio promises its order: without deliveries from outside there is nothing to choose."""
    assert count > 1
    assert () == play(asyncio_family(main, *children), ScheduleChooser()).course
