"""What becomes of a pin: its rule on the release that has the bug, and on the one that does not."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final

import attrs

from simharness.field.venvs import SetUpError, installed, run_in
from simharness.verdict import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from simharness.field.pins import Pin

__all__ = ["Judged", "Side", "exit_code", "judged", "side_of"]

_RED: Final = "violated"
_GREEN: Final = "holds"
_FAILED: Final = "error"


@attrs.frozen(kw_only=True)
class Side:
    """One release under search. `state` is what became of the pin's rule, "error" if nothing did.

    `said` is the violation or the error. `seconds` is processor time of the process that searches:
    nothing waits in a search, so this is what it takes on a free core.
    """

    version: str
    state: str
    said: str = ""
    replay: str = ""
    trials: int = 0
    seconds: float = 0.0


@attrs.frozen
class Judged:
    """A pin and its sides; None is a side that there is not."""

    pin: Pin
    buggy: Side | None = None
    fixed: Side | None = None

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides there are."""
        return tuple(side for side in (self.buggy, self.fixed) if side is not None)

    @property
    def red(self) -> bool:
        """Whether the rule is broken on the release that has the bug."""
        return self.buggy is not None and self.buggy.state == _RED

    @property
    def green(self) -> bool:
        """Whether the rule had something to judge on the fixed release, and holds."""
        return self.fixed is not None and self.fixed.state == _GREEN

    @property
    def right(self) -> bool:
        """Whether both colours are as they should be. A pin that is not shown is not wrong."""
        return bool(self.pin.not_shown) or (self.red and (self.green or not self.pin.fixed))


def exit_code(pins: Iterable[Judged]) -> ExitCode:
    """Only the pins' own rules count: 3 for a side that could not be searched, 1 for a colour."""
    pins = list(pins)
    if any(side.state == _FAILED for one in pins for side in one.sides):
        return ExitCode.BAD_INPUT
    return ExitCode.HOLDS if all(one.right for one in pins) else ExitCode.BROKEN


def judged(pin: Pin, home: Path, tell: Callable[[str], None] = lambda _: None) -> Judged:
    """Search both releases of a pin in environments below `home`; `tell` hears what is being done.

    A pin that cannot be shown is not searched.
    """
    if pin.not_shown:
        return Judged(pin)
    buggy = _searched(pin, pin.buggy, home, tell)
    return Judged(pin, buggy, _searched(pin, pin.fixed, home, tell) if pin.fixed else None)


def _searched(pin: Pin, version: str, home: Path, tell: Callable[[str], None]) -> Side:
    tell(f"{pin.id}: {pin.package} {version}")
    try:
        python = installed(home / f"{pin.id}-{version}", pin.requirements(version))
    except SetUpError as error:
        return Side(version=version, state=_FAILED, said=str(error))
    words = ("-m", "simharness", "run", str(pin.file), "--agent", pin.agent)
    before = _processor_s()
    done = run_in(python, *words, "--no-regressions", "--json", "-", cwd=home)
    seconds = round(_processor_s() - before, 2)
    if not done.stdout.startswith("{"):
        return Side(version=version, state=_FAILED, said=done.stderr.strip())
    return side_of(json.loads(done.stdout), pin, version, seconds)


def _processor_s() -> float:
    """The processor time of all child processes that have ended, in seconds."""
    times = os.times()
    return times.children_user + times.children_system


def side_of(report: dict[str, Any], pin: Pin, version: str, seconds: float = 0.0) -> Side:
    """What a report of `simharness run` says about the rule of a pin, and about nothing else.

    Where nothing broke the rule, `said` is why cases could not be played, if there are such.
    """
    cases = report["cases"]
    broken = [one for case in cases for one in case["violations"] if one["rule"] == pin.rule]
    reasons = [case["reason"] for case in cases if case["reason"]]
    failed = any(case["verdict"] == _FAILED for case in cases)
    return Side(
        version=version,
        state=_FAILED if failed else report["rules"][pin.rule],
        said=broken[0]["message"] if broken else "\n".join(reasons),
        replay=broken[0]["replay"] if broken else "",
        trials=report["summary"]["trials"],
        seconds=seconds,
    )
