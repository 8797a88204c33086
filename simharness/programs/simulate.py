"""Searching the schedules of a program for one that breaks it, and running a code again."""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast, overload

import attrs

from simharness.campaign.budget import named
from simharness.choices import ScheduleChooser
from simharness.programs import failure
from simharness.programs.trial import run_once
from simharness.replay.code import MatchKind, ReplayCode, compare, recorded
from simharness.search import explain, explore, shrink
from simharness.world.determinism import batch

if TYPE_CHECKING:
    from simharness.choices import Chooser
    from simharness.programs.trial import Program, Trial
    from simharness.search import Exploration, Shrunk
    from simharness.verdict import Verdict

__all__ = ["REPLAY", "Explored", "ProgramFailed", "explored", "simulate"]

REPLAY = "SIMHARNESS_REPLAY"
"""The environment variable with a code that its program is to run again, and nothing else."""

_SHRINK_TRIALS = 2000


class ProgramFailed(AssertionError):
    """A program broke; the text says how, in what order, and how to see it again."""


@attrs.frozen
class Explored:
    """What a search came to that found nothing."""

    trials: int
    interleavings: int
    coverage: str


@attrs.frozen(kw_only=True)
class _Search:
    """The options of `simulate`."""

    budget: int = 200
    strategy: str | None = None
    bound: int = 1
    mode: str = "strict"
    seed: int = 0


def explored(program: Program, **options: Any) -> Explored:
    """Run `program` under many schedules; raise `ProgramFailed` if one of them breaks it.

    Options, with their defaults: `budget=200` trials; `strategy`, `bound=1` and `seed=0` as the
    command line takes them (without a strategy: every schedule up to the bound); `mode="strict"`
    explores what a stock event loop can do, `"relaxed"` also permutes ready task steps.

    A program is broken if it raises, hangs, leaves tasks, timers or generators behind, or loses an
    exception. With a code of it in SIMHARNESS_REPLAY only that trial is run.
    """
    __tracebackhide__ = True
    if not inspect.iscoroutinefunction(program):
        raise TypeError(f"{program!r} is no coroutine function; a program is an `async def`")
    search = _Search(**options)
    code = _asked_for(program)
    with batch():
        if code is not None:
            return _replayed(program, code)
        return _searched(program, search)


def _searched(program: Program, search: _Search) -> Explored:
    __tracebackhide__ = True

    def trial(chooser: Chooser) -> Verdict:
        return run_once(program, chooser, mode=search.mode).verdict

    strategy = named(search.strategy, bound=search.bound, seed=search.seed)
    exploration = explore(trial, strategy, search.budget)
    for verdict in exploration:
        if verdict.violations:
            rule = verdict.violations[0].rule
            small = shrink(trial, verdict, rule, budget=_SHRINK_TRIALS)
            parts = explain(trial, small.verdict, rule)
            lines = [small.describe(), *(str(part) for part in parts)]
            raise ProgramFailed(_told(program, search, exploration, small, lines))
    return Explored(exploration.trials, exploration.interleavings, exploration.describe())


def _told(
    program: Program, search: _Search, exploration: Exploration, small: Shrunk, lines: list[str]
) -> str:
    """The text of a failure, from its smallest trial run once more."""
    again = run_once(program, ScheduleChooser(small.schedule), mode=search.mode)
    if again.verdict.trace_hash != small.verdict.trace_hash:
        lines.append("it ran differently the second time: something in it is not simulated")
    code = _code(program, search, again)
    found = f"found in trial {exploration.trials:,}"
    return failure.text(again, [found, *lines], f"{REPLAY}={code.encode()}")


# --- replay ---------------------------------------------------------------------------------------


def _code(program: Program, search: _Search, trial: Trial) -> ReplayCode:
    return ReplayCode(
        case=_name(program),
        source_hash=_source_hash(program),
        agent="program",
        mode=search.mode,
        seed=search.seed,
        deviations=recorded(trial.verdict.course),
        trace_hash=trial.verdict.trace_hash,
    )


def _asked_for(program: Program) -> ReplayCode | None:
    """The code that somebody wants to see again, if it is one of `program`."""
    text = os.environ.get(REPLAY, "")
    code = ReplayCode.decode(text) if text else None
    return code if code is not None and code.case == _name(program) else None


def _replayed(program: Program, code: ReplayCode) -> Explored:
    """Run the trial of `code`. One that took another way proves nothing, so it is not passed."""
    __tracebackhide__ = True
    trial = run_once(program, ScheduleChooser(code.schedule), mode=code.mode)
    match = compare(code, trial.verdict.course, trial.verdict.trace_hash)
    changed = "" if _source_hash(program) == code.source_hash else "; the program has changed"
    if trial.verdict.violations:
        lines = [f"replay: {match}{changed}"]
        raise ProgramFailed(failure.text(trial, lines, f"{REPLAY}={os.environ[REPLAY]}"))
    if match.kind is MatchKind.DRIFTED_AT:
        raise ProgramFailed(
            f"replay: {match}{changed}. Nothing broke, but this is not the trial of the code; "
            f"search again without {REPLAY}."
        )
    return Explored(1, 1, f"replay: no longer fails{changed}")


def _name(program: Program) -> str:
    return f"{program.__module__}:{program.__qualname__}"


def _source_hash(program: Program) -> str:
    try:
        source = inspect.getsource(program)
    except OSError:
        source = _name(program)  # typed in at a prompt
    return hashlib.blake2b(source.encode(), digest_size=5).hexdigest()


# --- the decorator --------------------------------------------------------------------------------


@overload
def simulate(program: Program, /) -> Callable[..., None]: ...
@overload
def simulate(**options: Any) -> Callable[[Program], Callable[..., None]]: ...


def simulate(
    program: Program | None = None, /, **options: Any
) -> Callable[..., None] | Callable[[Program], Callable[..., None]]:
    """Make a coroutine function a test that runs it under many schedules.

    Its first parameter, if it has one, is the `Outside`; the others are arguments of the test
    (pytest fixtures, say), which all trials share. Options are those of `explored`.
    """
    if program is None:
        return lambda one: _tested(one, options)
    return _tested(program, options)


def _tested(program: Program, options: dict[str, Any]) -> Callable[..., None]:
    parameters = list(inspect.signature(program).parameters.values())

    @functools.wraps(program)
    def test(*args: object, **words: object) -> None:
        __tracebackhide__ = True
        bound = functools.partial(program, *args, **words)
        explored(cast("Program", functools.update_wrapper(bound, program)), **options)

    del test.__wrapped__  # its signature would ask for the outside
    shown = inspect.Signature(parameters[1:])
    test.__signature__ = shown  # type: ignore[attr-defined]
    return test
