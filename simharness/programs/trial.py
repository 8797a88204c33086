"""One trial of a program, judged: it may not raise, hang, or leave work behind."""

from __future__ import annotations

import functools
import hashlib
import inspect
import traceback
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import attrs

from simharness.programs.outside import Outside
from simharness.verdict import Verdict, Violation
from simharness.world.determinism import new_trial
from simharness.world.kernel import Played, play

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simharness.choices import Chooser
    from simharness.world.eventloop import SimLoop

__all__ = ["LEFT", "RAISES", "Program", "Trial", "run_once"]

Program = Callable[..., Awaitable[object]]
"""A coroutine function that takes an `Outside`, or nothing."""

RAISES = "raises"
"""The start of the rule that a program breaks by raising; the class of the exception follows."""

LEFT = "no-leaked-tasks"


@attrs.frozen(eq=False)
class Trial:
    """One trial: how it was judged, what came in, and the traceback if it raised."""

    verdict: Verdict
    log: tuple[tuple[float, str], ...]
    traceback: str = ""


def run_once(program: Program, chooser: Chooser, *, mode: str) -> Trial:
    """Run `program` once. Call it within `batch()` for virtual clocks and seeded randomness."""
    log: list[tuple[float, str]] = []

    async def main(loop: SimLoop) -> Any:
        new_trial(loop)
        outside = Outside(loop)
        outside.log = log
        return await (program(outside) if _takes_outside(program) else program())

    played = play(main, chooser, mode=mode)
    violations = tuple(_violations(played))
    told = repr((log, played.time, [violation.message for violation in violations]))
    labels = [[option.label for option in point.options] for point in played.course]
    chosen = [point.chosen for point in played.course]
    verdict = Verdict(
        violations=violations,
        notes=(),
        occasions=frozenset(),
        course=played.course,
        trace_hash=hashlib.sha256(repr((told, labels, chosen)).encode()).hexdigest(),
        ending=told,
    )
    return Trial(verdict, tuple(log), _traceback(played.error))


@functools.lru_cache(maxsize=8)
def _takes_outside(program: Program) -> bool:
    return bool(inspect.signature(program).parameters)


def _violations(played: Played) -> Iterator[Violation]:
    if isinstance(played.error, Exception):
        kind = type(played.error).__name__
        yield Violation(f"{RAISES} {kind}", f"{kind}: {played.error}".rstrip(": "))
    if played.limit is not None:
        yield Violation("settles", f"{played.limit}: {played.detail}")
    for left in played.left:
        yield Violation(LEFT, f"{left.kind}: {left.what}")
    for error in played.errors:
        yield Violation("failure-surfaced", f"nobody saw: {error}")


def _traceback(error: BaseException | None) -> str:
    """The traceback of `error` from the program on: the frames of the harness help nobody."""
    if error is None:
        return ""
    tb = error.__traceback__
    while tb is not None and "simharness" in tb.tb_frame.f_code.co_filename.replace("\\", "/"):
        tb = tb.tb_next
    return "".join(traceback.format_exception(type(error), error, tb or error.__traceback__))
