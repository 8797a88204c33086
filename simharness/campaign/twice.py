"""Is an agent deterministic here? Plays cases twice in this process, and in another one.

Each case is played on the default schedule and on one far from it. The other process runs under
another hash seed, so that an order of sets of texts shows. Nothing is judged.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

import attrs

from simharness.agent import NotApplicable
from simharness.check import Bench
from simharness.choices import Schedule, ScheduleChooser
from simharness.verdict import HarnessError
from simharness.world.run import batch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simharness.agent import AgentFactory
    from simharness.scenario.model import Case

__all__ = ["Difference", "differences", "main"]

FAR: Final[Schedule] = tuple((point, 1) for point in range(0, 200, 3))
"""Every third point takes another option: an order that no test of the agent's own has."""

_SCHEDULES: Final = {"the default schedule": (), "a schedule far from it": FAR}
_HASH_SEED: Final = "77"
_PROGRAM: Final = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); {}"
_CALL: Final = "from simharness.campaign.twice import main; main()"

Texts = list[list[str] | None]
"""For each case the traces as text, or None if the agent cannot do it."""


@attrs.frozen
class Difference:
    """Two trials of a case that should be one: where, and the first record that is not the same."""

    case: str
    where: str
    schedule: str
    record: int
    first: str
    second: str

    def __str__(self) -> str:
        return (
            f"{self.case}, {self.schedule}, {self.where}: record {self.record} is\n"
            f"    {self.first or '(there is none)'}\n  and then\n"
            f"    {self.second or '(there is none)'}"
        )


def differences(
    cases: Sequence[Case], find: Callable[[str], AgentFactory], agent: str
) -> tuple[list[Difference], int]:
    """All differences, the first of each case and place, and how many cases could be played.

    `find` makes the factory from the name; the other process needs it to be a module's function.
    """
    factory = find(agent)
    with batch():
        first = [_texts(case, factory) for case in cases]
        again = [_texts(case, factory) for case in cases]
    other = _elsewhere(cases, find, agent)
    found = [
        difference
        for texts, where in ((again, "again in this process"), (other, "in another process"))
        for case, one, two in zip(cases, first, texts, strict=True)
        if (difference := _compared(case.id, where, one, two)) is not None
    ]
    return found, sum(one is not None for one in first)


def main() -> None:
    """The other process: read cases from standard input, write their traces to standard output."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the agent prints is not ours
    cases, find, agent = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our own other half
    factory = find(agent)
    with batch():
        texts = [_texts(case, factory) for case in cases]
    with out:
        json.dump(texts, out)
    os._exit(0)  # threads that an agent left must not keep the process


def _texts(case: Case, factory: AgentFactory) -> list[str] | None:
    bench = Bench(case, factory, case.mode or "strict")
    try:
        played = [bench.trial(ScheduleChooser(schedule)) for schedule in _SCHEDULES.values()]
    except NotApplicable:
        return None
    return [verdict.trace.text() for verdict in played if verdict.trace is not None]


def _elsewhere(cases: Sequence[Case], find: Callable[[str], AgentFactory], agent: str) -> Texts:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", _PROGRAM.format(_CALL), json.dumps(sys.path)],
        input=pickle.dumps((list(cases), find, agent)),
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": _HASH_SEED},
        check=False,
    )
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise HarnessError(f"the other process ended with code {done.returncode}:\n{said}")
    texts: Texts = json.loads(done.stdout)
    return texts


def _compared(
    case: str, where: str, first: list[str] | None, second: list[str] | None
) -> Difference | None:
    """The first difference, or None. An agent that can do a case only once differs, too."""
    if first is None or second is None:
        if first is second:
            return None
        words = ["not applicable" if texts is None else "played" for texts in (first, second)]
        return Difference(case, where, "any schedule", 0, *words)
    for schedule, one, two in zip(_SCHEDULES, first, second, strict=True):
        lines = zip_longest(one.splitlines(), two.splitlines(), fillvalue="")
        for number, (mine, other) in enumerate(lines):
            if mine != other:
                return Difference(case, where, schedule, number, mine, other)
    return None
