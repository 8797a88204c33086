"""The fixed words of the language that are neither keys nor steps: records, hooks, waits, verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness import trace
from simharness.trace import Reported

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["HOOKS", "RECORDS", "VERBS", "WAITS", "Verb"]

RECORDS: Mapping[str, type[Reported]] = {
    name: kind
    for name, kind in vars(trace).items()
    if isinstance(kind, type) and issubclass(kind, Reported) and kind is not Reported
}
"""What an agent can report about itself, by name."""

HOOKS = (
    "input_filter",
    "before_turn",
    "turn_note",
    "middleware",
    "before_tool",
    "after_tool",
    "after_turn",
    "on_error",
    "observer",
)
"""Hook positions: keys of `hooks:` and names of anchors."""

WAITS = ("backoff", "guard", "connect", "recovery", "approval", "store write", *HOOKS)
"""Waits of an agent that last, so that something can happen during one. Hooks may wait too."""


@attrs.frozen
class Verb:
    """What one action takes. `value` names what a bare scalar means, "" if it takes none.

    `reads` says how each option is read: text, seconds, flag or actions.
    """

    value: str = ""
    reads: Mapping[str, str] = attrs.field(factory=dict)
    required: bool = False


_TEXT = Verb("text", {"text": "text"}, required=True)

VERBS: Mapping[str, Verb] = {
    "ephemeral": _TEXT,
    "interrupt": Verb(),
    "shutdown": Verb("", {"drain": "seconds"}),
    "quiesce": Verb("", {"drain": "seconds", "abandon": "flag"}),
    "resume": Verb(),
    "context_restart": Verb(),
    "steer": _TEXT,
    "follow_up": _TEXT,
    "approve": Verb("tool", {"tool": "text"}),
    "deny": Verb("tool", {"tool": "text", "reason": "text"}),
    "kill": Verb(),
    "fork": Verb(),
    "dispose": Verb(),
    "close": Verb(),
    "gc": Verb(),
    "wait": Verb("seconds", {"seconds": "seconds"}, required=True),
    "on_settle": Verb("actions", {"actions": "actions"}, required=True),
}
"""The actions beside `prompt`, `continue` and `cancel`."""
