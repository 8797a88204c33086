"""The flow: a recorded trace is read as it comes, its format's checker judges it, a result is left.

file -> payloads -> checker of the format -> tally
|
+-> window of one run -> universal rules
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from simharness.recorded.memory import TooMuchError
from simharness.recorded.reading import TraceError, payloads
from simharness.recorded.rule import Finding, Tally
from simharness.recorded.universal import Window
from simharness.rules import RULES
from simharness.scenario.model import Place
from simharness.verdict import ExitCode

if TYPE_CHECKING:
    from typing import BinaryIO

    from simharness.recorded.format import Format

__all__ = ["Checked", "check", "check_file"]


@attrs.frozen(eq=False)
class Checked:
    """What came of one trace. `refused`: it could not be read further; what came before counts."""

    file: str
    format: Format
    tally: Tally
    refused: TraceError | None = None

    @property
    def findings(self) -> list[Finding]:
        """The broken rules in the order of the trace."""
        return sorted(self.tally.findings, key=lambda found: found.spot)

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Universal rules that this trace cannot be judged by, whatever stands in it."""
        judged = set(self.format.universal)
        return tuple(rule.id for rule in RULES if rule.id not in judged)

    @property
    def exit_code(self) -> ExitCode:
        """Bad input before a broken rule, as everywhere."""
        if self.refused is not None:
            return ExitCode.BAD_INPUT
        return ExitCode.BROKEN if self.tally.broken else ExitCode.HOLDS

    def place(self, spot: tuple[int, int]) -> Place:
        """The place of something in the trace."""
        return Place(self.file, *spot)


def check_file(path: Path, form: Format, *, at_client: bool = False) -> Checked:
    """Check the trace at `path`; a file that cannot be opened is a refused one."""
    try:
        with path.open("rb") as file:
            return check(file, str(path), form, at_client=at_client)
    except OSError as error:
        reason = error.strerror or str(error)
        refused = TraceError(Place(str(path), 0, 0), f"cannot be read: {reason}")
        return Checked(str(path), form, Tally(), refused)


def check(file: BinaryIO, name: str, form: Format, *, at_client: bool = False) -> Checked:
    """Check a trace as it comes; `name` is what messages call it. Memory does not grow with it."""
    tally = Tally()
    window = Window(tally, form.universal, form.families)
    checker = form.checker(tally, window, at_client=at_client)
    spot, refused = (1, 1), None
    try:
        for payload in payloads(file, name):
            spot = payload.spot
            tally.events += 1
            checker.payload(payload)
        if not tally.events:
            raise TraceError(Place(name, 1, 1), "there is no event in this trace")
        checker.end(spot)
        if not any(tally.occasions[rule.id] for rule in form.rules):  # nothing was understood
            what = f"no event of this trace is one of {form.name}; is it another format?"
            raise TraceError(Place(name, 1, 1), what)
    except TooMuchError as error:
        refused = TraceError(Place(name, *spot), str(error))
    except TraceError as error:
        refused = error
    return Checked(name, form, tally, refused)
