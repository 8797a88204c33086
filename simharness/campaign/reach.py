"""Reach: which lines of the reference loop a case executes.

On the default schedule, and with its `anywhere` actions at each place. A change in a line that a
trial does not execute does not change that trial, so generated mutants are tried only with the
cases that reach them.
"""

from __future__ import annotations

import contextlib
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from simharness.agent import NotApplicable
from simharness.agents import find, reference
from simharness.check import REFERENCE, Bench
from simharness.search import Sweep, explore
from simharness.world.run import batch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import FrameType

    from simharness.agents.mutants.generated import Change
    from simharness.scenario.model import Case

__all__ = ["Reach", "reach_of"]

_Line = tuple[str, int]
_NEAR = 12  # lines: about a function
_PLACES = 40  # trials: more than the suite's `anywhere` actions have places


@attrs.frozen
class Reach:
    """The lines that each case executes, each a module and a number."""

    cases: Sequence[Case]
    lines: Sequence[frozenset[_Line]]
    common: Mapping[_Line, int]  # how many cases execute a line

    def of(self, change: Change) -> list[Case]:
        """The cases that execute what is changed; first those for which its surroundings are there.

        Those execute a line near it that few cases do.
        """
        changed = {(change.module, n) for n in range(change.line, change.last_line + 1)}
        near = [(change.module, change.line + n) for n in range(-_NEAR, _NEAR)]
        hits = [
            (min(self.common[line] for line in near if line in lines), number)
            for number, lines in enumerate(self.lines)
            if not changed.isdisjoint(lines)
        ]
        return [self.cases[number] for _, number in sorted(hits)]


def reach_of(cases: Sequence[Case]) -> Reach:
    """Run each case on the reference loop; not those that are about a seeded fault."""
    cases = [case for case in cases if case.mutant is None]
    factory = find(REFERENCE)
    reached = []
    with batch():
        for case in cases:
            with _noting() as lines, contextlib.suppress(NotApplicable):
                for _ in explore(Bench(case, factory).trial, Sweep(), _PLACES):
                    pass
            reached.append(frozenset((name, n) for name, numbers in lines.items() for n in numbers))
    return Reach(cases, reached, Counter(line for lines in reached for line in lines))


@contextlib.contextmanager
def _noting() -> Iterator[Mapping[str, set[int]]]:
    """Note the lines of the loop that this thread executes, by module."""
    folder = str(Path(reference.__file__).parent)
    lines: dict[str, set[int]] = defaultdict(set)

    def enter(frame: FrameType, event: str, arg: Any) -> Any:  # noqa: ARG001
        name = frame.f_code.co_filename
        if not name.startswith(folder):
            return None
        note = lines[Path(name).stem].add
        note(frame.f_lineno)

        def step(frame: FrameType, event: str, arg: Any) -> Any:  # noqa: ARG001
            note(frame.f_lineno)
            return step

        return step

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield lines
    finally:
        sys.settrace(before)
