"""The fixed words of the language that are neither keys nor steps: records, hooks, waits, verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness import trace
from simharness.trace import Reported

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["EXCEPTIONS", "HOOKS", "PROCESS_VERBS", "RECORDS", "VERBS", "WAITS", "Verb"]

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

EXCEPTIONS: Mapping[str, type[Exception]] = {
    kind.__name__: kind for kind in (TimeoutError, ConnectionResetError, ValueError, RuntimeError)
}
"""What a client library lets through although it is no error of a provider, by name."""

WAITS = (
    "backoff",
    "guard",
    "connect",
    "recovery",
    "approval",
    "store write",
    "store flush",
    *HOOKS,
)
"""Waits of an agent that last, so that something can happen during one. Hooks may wait too."""


@attrs.frozen
class Verb:
    """What one action takes. `value` names what a bare scalar means, "" if it takes none.

    `reads` says how each option is read: text, seconds, count, drain or flag. `passes` is what
    the agent's method calls an option that is called otherwise there.
    """

    value: str = ""
    reads: Mapping[str, str] = attrs.field(factory=dict)
    required: bool = False
    passes: Mapping[str, str] = attrs.field(factory=dict)

    def arguments(self, args: Mapping[str, object]) -> dict[str, object]:
        """`args` as the method of an agent takes them."""
        return {self.passes.get(name, name): value for name, value in args.items()}


_TEXT = Verb("text", {"text": "text"}, required=True)

_DRAIN = {"drain": "drain_s"}

VERBS: Mapping[str, Verb] = {
    "interrupt": Verb(),
    "shutdown": Verb("", {"drain": "seconds"}, passes=_DRAIN),
    "quiesce": Verb("", {"drain": "drain", "abandon": "flag"}, passes=_DRAIN),
    "resume": Verb(),
    "context_restart": Verb("reason", {"reason": "text"}),
    "steer": _TEXT,
    "follow_up": _TEXT,
    "approve": Verb("tool", {"tool": "text"}),
    "deny": Verb("tool", {"tool": "text", "reason": "text"}),
    "kill": Verb(),
    "fork": Verb("turn", {"turn": "count"}),
    "dispose": Verb(),
    "close": Verb(),
    "gc": Verb(),
    "wait": Verb("seconds", {"seconds": "seconds"}, required=True),
    "on_settle": Verb(required=True),
}
"""The actions beside `prompt`, `continue`, `ephemeral` and `cancel`."""

PROCESS_VERBS = frozenset({"kill", "fork"})
"""The actions behind which the agent lives in another process and goes on from its store."""
