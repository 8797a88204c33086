"""Hooks: what may stand at which position of the loop, and what it may decide.

A hook is a plain function or a coroutine function. When it is called, and what its answer does, is
the business of `calling`.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

__all__ = ["Allow", "Decision", "Deny", "Hook", "Hooks", "Modify", "Warn"]

Hook = Callable[..., object]
"""Returns what its position takes, at once or by an awaitable."""


@attrs.frozen
class Allow:
    """Go on. What a hook that returns nothing says."""


@attrs.frozen
class Deny:
    """Do not go on; no later hook of the position is asked."""

    reason: str


@attrs.frozen
class Modify:
    """Go on with `value`: other text of a prompt, other arguments of a call."""

    value: object


@attrs.frozen
class Warn:
    """Go on, and let the model read `text`."""

    text: str


Decision = Allow | Deny | Modify | Warn


@attrs.define
class Hooks:
    """What is installed, position by position, in installation order.

    These decide:
    `input_filter(text)` before a prompt is accepted, `before_turn(number)`, and
    `middleware(args, name)` before a tool starts.

    These are told, and what they return does not matter:
    `before_tool(name)`, `after_tool(name)` for each body that ran, `after_turn(number)` for each
    turn in which the model was to be asked, `on_error(error)` for a failure that ends the run, and
    `observer(record)` for everything that is reported.

    `turn_note(number)` returns a text that is added to the latest user message of one request and
    is not stored.
    """

    input_filter: list[Hook] = attrs.field(factory=list)
    before_turn: list[Hook] = attrs.field(factory=list)
    turn_note: list[Hook] = attrs.field(factory=list)
    middleware: list[Hook] = attrs.field(factory=list)
    before_tool: list[Hook] = attrs.field(factory=list)
    after_tool: list[Hook] = attrs.field(factory=list)
    after_turn: list[Hook] = attrs.field(factory=list)
    on_error: list[Hook] = attrs.field(factory=list)
    observer: list[Hook] = attrs.field(factory=list)

    def at(self, position: str) -> list[Hook]:
        """The hooks of a position, by its name."""
        found: list[Hook] = getattr(self, position)
        return found
