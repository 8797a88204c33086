"""Actions: what stands under `run:`, and the closing prompt that a scenario gets by default.

An action is a bare verb or a mapping with one verb; its options stand beside the verb or in a
mapping under it. Where an action is placed is read by `anchors`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import attrs

from simharness.agent import CancelWay
from simharness.scenario.anchors import RELATIONS, Scope, read_anchor
from simharness.scenario.model import (
    Action,
    CancelAction,
    OtherAction,
    PromptAction,
)
from simharness.scenario.nodes import MapNode, Node, ScalarNode
from simharness.scenario.problems import did_you_mean, listed
from simharness.scenario.streams import read_model
from simharness.scenario.vocabulary import PROCESS_VERBS, VERBS

if TYPE_CHECKING:
    from simharness.scenario.fields import Keys, Reader
    from simharness.scenario.model import Anchor, Stream, Tool

__all__ = ["ActionReader"]

_ALL_VERBS = ("prompt", "continue", "ephemeral", "cancel", *VERBS)
_PLACING = (*RELATIONS, "as")
_PROMPT_OPTIONS = ("text", "model", "meanwhile", *_PLACING)
_CONTINUE_OPTIONS = ("model", "meanwhile", *_PLACING)
_CANCEL_OPTIONS = ("reason", "way", "queue", "from", "anywhere", *_PLACING)
_QUEUE_WORDS = ("run", "drop", "park")


@attrs.frozen
class _Written:
    """An action as it is written: the verb, its scalar or list (if any), and its options."""

    verb: str
    place: ScalarNode
    value: Node | None
    keys: Keys
    key: str


@attrs.define
class ActionReader:
    """Reads the actions of one case in order; each may refer to the prompts before it."""

    reader: Reader
    tools: tuple[Tool, ...]
    first_model: tuple[Stream, ...] | None = None
    has_store: bool = False
    _running: tuple[PromptAction, ...] = ()
    _prompts: int = 0

    def read(self, node: Node) -> tuple[Action, ...]:
        """Read the list under `run:`."""
        items = self.reader.items(node, '"run"')
        found = [self._action(item, f"run[{number}]") for number, item in enumerate(items)]
        actions = tuple(action for action in found if action is not None)
        if not any(isinstance(action, PromptAction) for action in actions) and len(found) == len(
            actions
        ):
            self.reader.wrong(node, "a run needs at least one prompt")
        return actions

    def _action(self, node: Node, path: str) -> Action | None:
        written = self._written(node, path)
        if written is None:
            return None
        if written.verb in {"prompt", "continue", "ephemeral"}:
            return self._prompt(written)
        if written.verb == "cancel":
            return self._cancel(written)
        return self._other(written)

    def _written(self, node: Node, path: str) -> _Written | None:
        """Sort a node into verb, value and options."""
        if isinstance(node, ScalarNode):
            node = MapNode(node.place, ((node, ScalarNode(node.place, "")),))
        mapping = self.reader.mapping(node, "an action")
        verbs = [key for key, _ in mapping.pairs if key.text in _ALL_VERBS]
        if len(verbs) != 1:
            self._no_verb(mapping, verbs)
            return None
        verb = verbs[0]
        value = mapping.get(verb.text)
        beside = mapping.without(verb.text)
        if isinstance(value, MapNode):
            beside = attrs.evolve(beside, place=value.place, pairs=(*value.pairs, *beside.pairs))
            self._no_twins(beside)
            value = None
        elif isinstance(value, ScalarNode) and value.value is None:
            value = None
        keys = self.reader.keys(beside, f'"{verb.text}"', _options(verb.text))
        return _Written(verb.text, verb, value, keys, f"{path} {verb.text}")

    def _no_verb(self, mapping: MapNode, verbs: list[ScalarNode]) -> None:
        if len(verbs) > 1:
            names = " and ".join(f'"{key.text}"' for key in verbs)
            self.reader.wrong(verbs[1], f"one action, one verb: this has {names}")
        elif mapping.pairs:
            key = next(
                (key for key, _ in mapping.pairs if key.text not in _CANCEL_OPTIONS),
                mapping.pairs[0][0],
            )
            guess = did_you_mean(key.text, _ALL_VERBS)
            known = listed(_ALL_VERBS)
            self.reader.wrong(key, f'unknown action "{key.text}"{guess} Known actions: {known}')
        else:
            self.reader.wrong(mapping, "an empty action")

    def _no_twins(self, mapping: MapNode) -> None:
        seen: set[str] = set()
        for key, _ in mapping.pairs:
            if key.text in seen:
                self.reader.wrong(key, f'"{key.text}" is given beside the action and inside it')
            seen.add(key.text)

    # --- prompt and cancel ------------------------------------------------------------------

    def _prompt(self, written: _Written) -> PromptAction:
        keys, reader = written.keys, self.reader
        continues = written.verb == "continue"
        text = self._nothing(written) if continues else self._text(written)
        self._prompts += 1
        meanwhile = keys.flag("meanwhile")
        anchor = read_anchor(reader, keys, self._scope())
        prompt = PromptAction(
            text,
            model=self._model(written),
            continues=continues,
            ephemeral=written.verb == "ephemeral",
            meanwhile=meanwhile,
            session=keys.text("as"),
            anchor=anchor,
            key=written.key,
            label=written.verb if self._prompts == 1 else f"{written.verb} {self._prompts}",
            place=written.place.place,
        )
        if meanwhile and not self._running:
            reader.wrong(keys.at("meanwhile"), "the first prompt has nothing to run meanwhile of")
        alongside = meanwhile or anchor is not None
        self._running = (*self._running, prompt) if alongside else (prompt,)
        return prompt

    def _text(self, written: _Written) -> str:
        node = written.value or written.keys.get("text")
        if node is None:
            self.reader.wrong(written.place, "a prompt needs a text")
            return ""
        if written.value is not None and "text" in written.keys:
            self.reader.wrong(written.keys.at("text"), "the prompt has its text already")
        return self.reader.filled(node, "the text of a prompt")

    def _nothing(self, written: _Written) -> str:
        if written.value is not None:
            self.reader.wrong(written.value, '"continue" takes no value')
        return ""

    def _model(self, written: _Written) -> tuple[Stream, ...]:
        """The prompt's own answers; the first prompt has those of the file."""
        node, first = written.keys.get("model"), self.first_model
        self.first_model = None
        if node is None:
            return first or ()
        if first is not None:
            self.reader.wrong(
                written.keys.at("model"), "the first prompt has its answers at the top of the file"
            )
        path = written.key.removesuffix(f" {written.verb}")
        return read_model(self.reader, node, f"{path}.model")

    def _cancel(self, written: _Written) -> CancelAction:
        keys, reader = written.keys, self.reader
        anywhere = keys.flag("anywhere")
        if written.value is not None:
            anywhere = (
                reader.word(written.value, "way to write a cancel", ("anywhere",)) is not None
            )
        anchor = read_anchor(reader, keys, self._scope())
        self._check_anywhere(written, anchor, anywhere=anywhere)
        return CancelAction(
            way=self._way(keys),
            reason=keys.text("reason", "user"),
            queue=self._queue(keys),
            anchor=anchor,
            anywhere=anywhere,
            session=keys.text("as"),
            key=written.key,
            label=_label(written, anywhere=anywhere),
            place=written.place.place,
        )

    def _way(self, keys: Keys) -> str | None:
        node = keys.get("way")
        return None if node is None else self.reader.word(node, "way of cancelling", CancelWay)

    def _queue(self, keys: Keys) -> str | None:
        node = keys.get("queue")
        return None if node is None else self.reader.word(node, "fate of the queue", _QUEUE_WORDS)

    # --- other verbs --------------------------------------------------------------------------

    def _other(self, written: _Written) -> OtherAction:
        keys, reader, verb = written.keys, self.reader, VERBS[written.verb]
        if written.verb == "on_settle":
            return self._on_settle(written)
        args = {name: self._arg(written, name) for name in verb.reads if name in keys}
        if written.value is not None:
            if not verb.value:
                reader.wrong(written.value, f'"{written.verb}" takes no value')
            elif verb.value in keys:
                reader.wrong(written.value, f'"{verb.value}" is given twice')
            else:
                args[verb.value] = self._value(written, verb.value, written.value)
        if verb.required and verb.value not in args:
            reader.wrong(written.place, f'"{written.verb}" needs a value ({verb.value})')
        anywhere = keys.flag("anywhere")
        anchor = read_anchor(reader, keys, self._scope())
        self._check_anywhere(written, anchor, anywhere=anywhere)
        self._check_session(written, anchor)
        return OtherAction(
            written.verb,
            args,
            anchor=anchor,
            anywhere=anywhere,
            session=keys.text("as"),
            key=written.key,
            label=_label(written, anywhere=anywhere),
            place=written.place.place,
        )

    def _arg(self, written: _Written, name: str) -> object:
        node = written.keys.get(name)
        assert node is not None, "the key is there"
        return self._value(written, name, node)

    def _value(self, written: _Written, name: str, node: Node) -> object:
        how = VERBS[written.verb].reads[name]
        if how == "drain" and isinstance(node, ScalarNode) and node.text == "nan":
            return math.nan  # what an operator's arithmetic may come to
        if how in {"seconds", "drain"}:
            return self.reader.seconds(node, f'"{name}"')
        if how == "count":
            return self.reader.whole(node, f'"{name}"', least=1)
        if how == "flag":
            return self.reader.flag(node, f'"{name}"')
        return self.reader.filled(node, f'the {name} of "{written.verb}"')

    def _on_settle(self, written: _Written) -> OtherAction:
        """What the caller of the run before does when it settles: an action, or a list of them."""
        if written.value is None:
            self.reader.wrong(written.place, '"on_settle" needs the actions to take')
        if not self._running:
            self.reader.wrong(written.place, "there is no prompt before it that could settle")
        items = () if written.value is None else self.reader.some(written.value)
        path = written.key.replace(" ", ".")
        found = [self._reaction(item, f"{path}[{number}]") for number, item in enumerate(items)]
        return OtherAction(
            written.verb,
            reactions=tuple(action for action in found if action is not None),
            key=written.key,
            label=written.verb,
            place=written.place.place,
        )

    def _reaction(self, node: Node, path: str) -> CancelAction | OtherAction | None:
        """One action under `on_settle`; it has no place but that one."""
        action = self._action(node, path)
        if isinstance(action, PromptAction):
            self.reader.wrong(action.place, '"on_settle" holds no prompt; write it behind')
            return None
        if action is not None and (action.anchor is not None or action.anywhere):
            self.reader.wrong(action.place, 'an action under "on_settle" has its place already')
        return action

    # --- shared -------------------------------------------------------------------------------

    def _scope(self) -> Scope:
        return Scope(self.tools, self._running, has_store=self.has_store)

    def _check_session(self, written: _Written, anchor: Anchor | None) -> None:
        """What ends the process of the agent needs something that outlives it."""
        if written.verb not in PROCESS_VERBS:
            return
        if anchor is None and not written.keys.flag("anywhere"):
            self._running = ()  # it comes when they have settled
        if not self.has_store:
            self.reader.wrong(
                written.place,
                f'"{written.verb}" needs a "store:" in the file; without one nothing is left '
                "that could be loaded",
            )
        if anchor is not None and anchor.inside:
            self.reader.wrong(
                written.keys.at("from"),
                f'"{written.verb}" comes from outside: a process does not go on behind it',
            )

    def _check_anywhere(self, written: _Written, anchor: Anchor | None, *, anywhere: bool) -> None:
        if anywhere and anchor is not None:
            self.reader.wrong(written.place, '"anywhere" and an anchor cannot be given together')
        if anywhere and not self._running:
            self.reader.wrong(written.place, 'there is no prompt before this "anywhere" action')


def _options(verb: str) -> tuple[str, ...]:
    if verb in {"prompt", "ephemeral"}:
        return _PROMPT_OPTIONS
    if verb == "continue":
        return _CONTINUE_OPTIONS
    if verb == "cancel":
        return _CANCEL_OPTIONS
    return (*VERBS[verb].reads, "from", "anywhere", *_PLACING)


def _label(written: _Written, *, anywhere: bool) -> str:
    """What people read in a timeline: `cancel after chunk 2`."""
    if anywhere:
        return f"{written.verb} anywhere"
    for relation in RELATIONS:
        node = written.keys.get(relation)
        if isinstance(node, ScalarNode):
            return f"{written.verb} {relation} {node.text}"
    return written.verb
