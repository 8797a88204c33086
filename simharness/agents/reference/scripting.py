"""Scripted hooks: what a scenario says under `hooks:`, as hooks of the reference loop.

A hook is one word or a mapping: `allow`, `{deny: no}`, `{modify: {path: safe}}`, `{warn: careful}`,
`{note: be brief}`, `{raise: boom}`, and `{wait: 1s, then: allow}` or `{wait: 1s, deny: no}`. The
keys `tool`, `turn`, `text` and `on` say what it is about; it lets everything else pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from simharness.agents.reference.hooks import Allow, Deny, Hook, Hooks, Modify, Warn

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from simharness.agent import World

__all__ = ["ScriptError", "installed", "scripted"]

_ACTS = ("allow", "deny", "modify", "warn", "note", "raise")
_DECIDING = ("input_filter", "before_turn", "middleware")
_ABOUT: Mapping[str, str] = {
    "input_filter": "text",
    "before_turn": "turn",
    "turn_note": "turn",
    "middleware": "tool",
    "before_tool": "tool",
    "after_tool": "tool",
    "after_turn": "turn",
    "on_error": "",
    "observer": "on",
}
"""By which key a hook of each position can be kept to one text, turn, tool or record."""


class ScriptError(Exception):
    """The reference loop has no such hook."""


class ScriptedFailure(Exception):
    """What a hook raises that is scripted to."""


@attrs.frozen
class _Act:
    """What a scripted hook does: wait, then answer or raise."""

    world: World
    position: str
    wait_s: float | None
    answer: object
    error: str | None

    def __call__(self) -> object:
        """Answer at once, or by an awaitable if there is a wait."""
        return self._answered() if self.wait_s is None else self._waited(self.wait_s)

    async def _waited(self, seconds: float) -> object:
        await self.world.wait(self.position, seconds)
        return self._answered()

    def _answered(self) -> object:
        if self.error is not None:
            raise ScriptedFailure(self.error)
        return self.answer


def scripted(world: World, position: str, words: object) -> list[Hook]:
    """The hooks that `words` describe; raises `ScriptError` for what no hook here can do."""
    if position not in _ABOUT:
        raise ScriptError(position)
    several = isinstance(words, Sequence) and not isinstance(words, str)
    entries = words if several else [words]
    assert isinstance(entries, Sequence)
    return [_hook(world, position, number, entry) for number, entry in enumerate(entries, 1)]


def _hook(world: World, position: str, number: int, entry: object) -> Hook:
    if isinstance(entry, list):
        raise ScriptError(position)
    said = dict(entry) if isinstance(entry, Mapping) else {entry: None}
    subject = said.pop(_ABOUT[position], None)
    act = _act(world, position, said)

    def hook(*about: object) -> Awaitable[object] | object:
        if subject is not None and _about(position, about) != subject:
            return None
        if position == "observer":
            world.hook(position, number)  # nobody else knows that it heard what it waited for
        return act()

    return hook


def _about(position: str, about: tuple[object, ...]) -> object:
    """What a call of a hook is about, in the words of a script."""
    if position == "middleware":
        return about[1]
    return type(about[0]).__name__ if position == "observer" else about[0]


def _act(world: World, position: str, said: dict[object, object]) -> _Act:
    wait = said.pop("wait", None)
    then = said.pop("then", None)
    if then is not None:
        said |= then if isinstance(then, Mapping) else {then: None}
    error = said.pop("raise", None)
    if not isinstance(wait, int | float | None) or len(said) > 1:
        raise ScriptError(position)
    if position == "observer" and wait is not None:
        raise ScriptError(position)
    answer = next((_answer(position, word, value) for word, value in said.items()), None)
    return _Act(world, position, wait, answer, None if error is None else str(error))


def _answer(position: str, word: object, value: object) -> object:
    """What one act answers, where the position has it."""
    if position == "turn_note" and word == "note":
        return str(value)
    match word, position in _DECIDING:
        case "allow", _:
            return Allow()
        case "deny", True:
            return Deny("" if value is None else str(value))
        case "modify", True if position != "before_turn":
            return Modify(value)
        case "warn", True if position != "before_turn":
            return Warn(str(value))
    raise ScriptError(position)


def installed(world: World, hooks: Mapping[str, object]) -> tuple[Hooks, set[str]]:
    """The hooks that a scenario scripts, and the names of the positions that cannot be applied."""
    found, refused = Hooks(), set()
    for position, words in hooks.items():
        try:
            made = scripted(world, position, words)
        except ScriptError:
            refused.add(position)
        else:
            found.at(position).extend(made)
    return found, refused
