"""The crew: worker processes that try mutants, one after the other each.

A mutant may spin or fill the memory; then it costs one worker, and has been noticed.
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from simharness.campaign.measuring import Fate
from simharness.isolate import duties
from simharness.isolate.pool import Pool
from simharness.isolate.process import Death
from simharness.isolate.settings import Isolation, Setup
from simharness.verdict import HarnessError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from simharness.agent import AgentFactory
    from simharness.agents.mutants.generated import Change
    from simharness.campaign.budget import Plan
    from simharness.scenario.model import Case

__all__ = ["Crew"]

_WALL_S: Final = 5.0  # real seconds for one trial; a healthy one takes milliseconds


class Crew:
    """`jobs` workers; a context manager that ends them. `find` as in `Setup`."""

    def __init__(self, find: Callable[[str], AgentFactory], agent: str, jobs: int) -> None:
        self._pool = Pool(Setup(find, agent, Isolation(jobs, _WALL_S)))

    def __enter__(self) -> Self:
        """Nothing is started yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        stack: TracebackType | None,
    ) -> None:
        """End the workers."""
        self._pool.close()

    def measured(
        self, tasks: Iterable[tuple[Change, Sequence[Case]]], plans: Sequence[Plan]
    ) -> Iterator[Fate]:
        """What becomes of generated mutants, each with the cases to try: `measuring.measure`."""
        submit = self._pool.submit
        jobs = [(one, submit(duties.measure, one, cases, plans)) for one, cases in tasks]
        for change, job in jobs:
            answer = self._pool.answer(job)
            if isinstance(answer, Death):
                yield Fate(change, (answer.limit,), None, answer.trials)
                continue
            kind, value = answer
            if kind != "done":
                raise HarnessError(value)
            yield value
