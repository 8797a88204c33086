"""What a campaign in worker processes is given: how many, and what each may use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.world.watchdog import WALL_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from simharness.agent import AgentFactory

__all__ = ["MEMORY_MIB", "Isolation", "Setup"]

MEMORY_MIB = 2048
"""What a worker may allocate unless told otherwise, in MiB."""


@attrs.frozen
class Isolation:
    """`jobs` workers; each ends a trial after `wall_s` real seconds and may use `memory_mib`."""

    jobs: int = 1
    wall_s: float = WALL_S
    memory_mib: int = MEMORY_MIB

    @property
    def kill_s(self) -> float:
        """Real seconds without a finished trial after which a worker is killed.

        Later than `wall_s`: a trial that can be ended within its process tells more.
        """
        return 1.5 * self.wall_s + 1


@attrs.frozen
class Setup:
    """What each worker is told first.

    `find` makes a factory from the name `agent`; both must mean the same in a new process, so
    `find` is a function of a module. `given` as in `check.check_case`. What `known` raises explains
    itself.
    """

    find: Callable[[str], AgentFactory]
    agent: str
    isolation: Isolation = Isolation()
    given: frozenset[str] = frozenset()
    known: tuple[type[Exception], ...] = ()
