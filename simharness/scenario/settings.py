"""Settings of the agent: what stands under `agent:`.

The names below mean the same to every agent that has them. An agent may have others of its own, so
an unknown name is no mistake, unless it looks like a known one that was misspelt: the case would
then not be applicable to anybody, which nobody would notice.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from simharness.scenario.nodes import MapNode

if TYPE_CHECKING:
    from simharness.scenario.fields import Keys, Reader
    from simharness.scenario.nodes import Node

__all__ = ["SETTINGS", "read_settings"]

SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "turn_limit": (),
    "tools": (),
    "cap": (),
    "retry": ("max", "delay", "cap"),
    "system": (),
    "batch": (),
    "exclusive": (),
    "token_limit": (),
    "time_limit": (),
    "loop_limit": (),
    "guard": (),
    "second_prompt": (),
    "queue_on_cancel": (),
    "reads_on": (),
    "idle_limit": (),
}
"""The names that all agents share, with the keys of those that are mappings."""

_ALIKE = 0.86  # one slip in a word of five letters, or of more


def read_settings(reader: Reader, keys: Keys) -> dict[str, object]:
    """Read `agent:`, in which unquoted durations become seconds."""
    node = keys.get("agent")
    if node is None:
        return {}
    _misspelt(reader, node, SETTINGS)
    if isinstance(node, MapNode):
        for name, value in node.pairs:
            _misspelt(reader, value, SETTINGS.get(name.text, ()))
    return reader.settings(node, '"agent"')


def _misspelt(reader: Reader, node: Node, known: Collection[str]) -> None:
    if not isinstance(node, MapNode):
        return
    for name, _ in node.pairs:
        guess = get_close_matches(name.text, list(known), n=1, cutoff=_ALIKE)
        if guess and name.text not in known:
            text = f'no agent has the setting "{name.text}"; did you mean "{guess[0]}"?'
            reader.wrong(name, text)
