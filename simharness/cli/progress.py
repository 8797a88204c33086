"""A progress bar on the standard error, on terminals only."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, NoReturn, Self

from simharness.verdict import CaseVerdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from tqdm import tqdm

    from simharness.batches import Gain
    from simharness.campaign.allowance import Allowance
    from simharness.campaign.budget import Plan
    from simharness.campaign.results import CaseResult

__all__ = ["Progress", "spending"]


def _bar(total: int, *, hidden: bool) -> tqdm[NoReturn]:
    from tqdm import tqdm

    # Not sys.stderr: what agents print is dropped there while trials run.
    terminal = sys.__stderr__ is not None and sys.__stderr__.isatty()
    return tqdm(total=total, unit=" trials", disable=hidden or not terminal, file=sys.__stderr__)


@contextlib.contextmanager
def spending(trials: int, seconds: float, *, hidden: bool) -> Iterator[Allowance]:
    """An allowance for making a failure small, and a bar that shows how much of it is used."""
    from simharness.campaign.allowance import Allowance

    with _bar(trials, hidden=hidden) as bar:

        class Shown(Allowance):
            """Asked before each trial whether it is spent."""

            def spent(self, share: float = 1.0) -> bool:
                """Show what was used until now."""
                bar.update(self.used - bar.n)
                return super().spent(share)

        yield Shown(trials, seconds)


class Progress:
    """Trials per second and how long it may take, with what was found; call it with each result.

    `trials` is the most there can be. A case that needs fewer than `plan` gives it shortens the way
    that is left; without `plan` it does not.
    """

    def __init__(self, trials: int, plan: Plan | None = None, *, hidden: bool) -> None:
        self._bar = _bar(trials, hidden=hidden)
        self._plan = plan
        self._most = trials
        self._live = False  # whether trials are counted before their case is finished
        self._cases = self._failures = self._interleavings = 0

    def __enter__(self) -> Self:
        """It is shown already."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        stack: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        self._bar.close()

    def gained(self, gain: Gain) -> None:
        """Count a part of a case that is not finished."""
        self._live = True
        self._add(gain.trials, gain.interleavings, gain.failures)

    def __call__(self, result: CaseResult) -> None:
        """Count one finished case, unless that was done bit by bit."""
        self._cases += 1
        if not self._live:
            failures = len(result.findings) + (result.verdict is CaseVerdict.ERROR)
            self._add(result.trials, result.interleavings, failures)
        if self._plan is not None:
            self._most -= max(self._plan.trials_of(result.case) - result.trials, 0)
            self._bar.total = max(self._most, self._bar.n)
        self._show()

    def _add(self, trials: int, interleavings: int, failures: int) -> None:
        self._interleavings += interleavings
        self._failures += failures
        self._show()
        self._bar.update(trials)

    def _show(self) -> None:
        self._bar.set_postfix_str(
            f"cases done: {self._cases}, interleavings: {self._interleavings}, "
            f"failures: {self._failures}",
            refresh=False,
        )
