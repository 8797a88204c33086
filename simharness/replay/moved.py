"""Recorded deviations played a few points earlier or later, where an agent may have moved them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.choices import Option
    from simharness.replay.code import Deviation

__all__ = ["MovedChooser"]


class MovedChooser:
    """Takes what each deviation took, `by` points behind its own; else option 0.

    What it took is told by its label as far as the code holds it, else by its number.
    """

    def __init__(self, deviations: Sequence[Deviation], by: int) -> None:
        self._wanted = {deviation.point + by: deviation for deviation in deviations}
        self._point = -1

    def choose(self, options: Sequence[Option]) -> int:
        """Return the option that is wanted at this point."""
        self._point += 1
        want = self._wanted.get(self._point)
        if want is None:
            return 0
        if not want.label:
            return want.option if want.option < len(options) else 0
        labels = (option.label.startswith(want.label) for option in options)
        return next((number for number, same in enumerate(labels) if same), 0)
