"""What a recorded format is: its rules, its checker, and what it cannot show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from simharness.recorded.checker import Checker
    from simharness.recorded.rule import FormatRule

__all__ = ["MODEL_SIDE", "Format"]

MODEL_SIDE = (
    "anything about an agent: this is the model's side of one request",
    "a cancel: the client just hangs up, and the trace ends",
)
"""What the stream of a provider cannot show."""


@attrs.frozen(kw_only=True)
class Format:
    """One format. `universal` are the ids of the universal rules that its traces can be judged by,
    `families` the families of records that they tell about."""

    name: str
    title: str
    rules: tuple[FormatRule, ...]
    checker: type[Checker]
    universal: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    cannot_show: tuple[str, ...] = ()
