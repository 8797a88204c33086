"""A progress bar on the standard error, on terminals only."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self

from simharness.verdict import CaseVerdict

if TYPE_CHECKING:
    from types import TracebackType

    from simharness.campaign.results import CaseResult

__all__ = ["Progress"]


class Progress:
    """Counts cases, trials and failures while a suite runs; call it with each result."""

    def __init__(self, cases: int | None, *, hidden: bool) -> None:
        from tqdm import tqdm

        self._bar = tqdm(total=cases, unit="case", disable=hidden or not sys.stderr.isatty())
        self._trials = 0
        self._failed = 0

    def __enter__(self) -> Self:
        """Show the bar."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        stack: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        self._bar.close()

    def __call__(self, result: CaseResult) -> None:
        """Count one finished case."""
        self._trials += result.trials
        self._failed += result.verdict in {CaseVerdict.VIOLATED, CaseVerdict.ERROR}
        self._bar.set_postfix_str(f"{self._trials} trials, {self._failed} failed", refresh=False)
        self._bar.update()
