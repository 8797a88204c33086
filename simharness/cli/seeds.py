"""`--seed N|last`, `--seeds A..B` and the environment variable SIMHARNESS_SEED."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import click

from simharness.cli.problems import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simharness.campaign.budget import Plan
    from simharness.campaign.results import CaseResult, SuiteResult
    from simharness.cli.place import Place
    from simharness.scenario.model import Case

__all__ = ["searched", "seed_options", "seeds_of"]

_MOST: Final = 10_000  # more searches than anybody waits for
_RANGE: Final = re.compile(r"([0-9]+)\.\.([0-9]+)")

_OPTIONS = (
    click.option(
        "--seed",
        envvar="SIMHARNESS_SEED",
        metavar="N|last",
        default="0",
        help="Seed of the sampling strategies; last: that of the last search here that drew.",
    ),
    click.option("--seeds", metavar="A..B", help="One search from each of these seeds."),
)


def seed_options(command: Callable[..., int]) -> Callable[..., int]:
    """`--seed` and `--seeds`, as texts."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def seeds_of(seed: str, seeds: str | None) -> tuple[int, ...]:
    """The seeds that both options mean together; several only from `--seeds`."""
    if seeds is not None:
        return _range(seeds)
    if seed == "last":
        return (_last(),)
    if not re.fullmatch(r"-?[0-9]+", seed):
        raise BadInput(f'--seed (or SIMHARNESS_SEED): "{seed}" is no seed; give a number or last')
    return (int(seed),)


def _range(words: str) -> tuple[int, ...]:
    found = _RANGE.fullmatch(words)
    if found is None:
        raise BadInput(f'--seeds: "{words}" is no range of seeds; write it as 1..20')
    first, last = int(found[1]), int(found[2])
    if not first <= last < first + _MOST:
        raise BadInput(f"--seeds: {words} must rise, and holds at most {_MOST:,} seeds")
    return tuple(range(first, last + 1))


def _last() -> int:
    from simharness.campaign.seeds import FILE, last

    found = last()
    if found is None:
        raise BadInput(f"--seed last: no search here has drawn anything yet ({FILE} has no seed)")
    return found


def searched(
    place: Place,
    cases: Sequence[Case],
    plan: Plan,
    *,
    hidden: bool,
    fail_fast: bool = False,
    excuse: Callable[[CaseResult], CaseResult] = lambda result: result,
) -> SuiteResult:
    """Check the cases once for each seed of `plan`, and note which seed was the last to draw."""
    from simharness.campaign.seeds import remember, together
    from simharness.cli.progress import Progress

    drawing = any(plan.drawn(case) for case in cases)
    if plan.seeds and not drawing:
        raise BadInput("--seeds: nothing is drawn at random without a --strategy that samples")
    if plan.seeds and place.store is not None:
        raise BadInput("--seeds and --store: a store belongs to one seed; give --seed")
    done: list[tuple[int, SuiteResult]] = []
    with Progress(plan.most(cases) * len(plan.each()), plan, hidden=hidden) as progress:
        for one in plan.each():
            result = place.checked(cases, one, progress, fail_fast=fail_fast, excuse=excuse)
            done.append((one.seed, result))
            if fail_fast and any(found.findings for found in result.results):
                break
    if drawing:
        remember(done)
    return together([result for _, result in done])
