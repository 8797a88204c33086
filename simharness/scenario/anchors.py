"""Anchors: the words that place an action, such as `after: chunk 2 of request 3`.

Reads the words and refuses what can never be reached: a chunk that no stream has, a tool that does
not exist, a moment that the harness cannot hold.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import attrs

from simharness.scenario.model import (
    Anchor,
    AnchorKind,
    CallStep,
    PromptAction,
    Relation,
    Stream,
    Tool,
)
from simharness.scenario.problems import did_you_mean, listed
from simharness.scenario.streams import chunk_count
from simharness.scenario.vocabulary import HOOKS, RECORDS, WAITS

if TYPE_CHECKING:
    from simharness.scenario.fields import Keys, Reader
    from simharness.scenario.nodes import Node

__all__ = ["RELATIONS", "Scope", "read_anchor"]

RELATIONS = tuple(str(relation) for relation in Relation)
"""The keys that hold an anchor; an action has at most one of them."""

_FORMS = (
    "chunk 2, chunk 2 of request 3, request 2, terminal, terminal of request 2, "
    "a tool, a hook, a reported record, or a wait such as backoff"
)
_NUMBER = r"(?: (?P<number>[0-9]{1,6}))?"
_CHUNK = re.compile(r"chunk (?P<number>[0-9]{1,6})(?: of request (?P<request>[0-9]{1,6}))?")
_REQUEST = re.compile(r"request (?P<number>[0-9]{1,6})")
_TERMINAL = re.compile(r"terminal(?: of request (?P<request>[0-9]{1,6}))?")
_TOOL = re.compile(rf"tool (?P<name>.+?){_NUMBER}")
_NAMED = re.compile(rf"(?P<name>.+?){_NUMBER}")

_LASTING = frozenset({AnchorKind.TOOL, AnchorKind.WAIT})
_FROM_INSIDE = frozenset({AnchorKind.TOOL, AnchorKind.REQUEST, AnchorKind.RECORD, AnchorKind.HOOK})


@attrs.frozen
class Scope:
    """What an anchor can refer to: the tools, and the prompts that may be running."""

    tools: tuple[Tool, ...]
    prompts: tuple[PromptAction, ...]
    has_store: bool = False

    @property
    def scripts(self) -> tuple[tuple[Stream, ...], ...]:
        """The answers of each prompt."""
        return tuple(prompt.model for prompt in self.prompts)

    def called(self) -> frozenset[str]:
        """The names of the tools that some answer calls."""
        streams = (stream for script in self.scripts for stream in script)
        steps = (step for stream in streams for step in stream.steps)
        return frozenset(step.name for step in steps if isinstance(step, CallStep))


def read_anchor(reader: Reader, keys: Keys, scope: Scope) -> Anchor | None:
    """Read after/before/during/at and `from` of an action; None if it has no anchor."""
    given = [relation for relation in RELATIONS if relation in keys]
    inside = _inside(reader, keys)
    if not given:
        if inside:
            reader.wrong(
                keys.at("from"), '"from: inside" needs an anchor, such as after: MessageEnd'
            )
        return None
    keys.only_one_of(*RELATIONS)
    relation = Relation(given[0])
    node = keys.get(given[0])
    assert node is not None, "the key is there"
    if not scope.prompts:
        reader.wrong(node, "there is no prompt before this action that it could be anchored to")
    anchor = _anchor(reader, node, relation, scope)
    if anchor is None:
        return None
    anchor = attrs.evolve(anchor, inside=inside)
    wrong = _impossible(anchor) or _out_of_reach(anchor, scope)
    if wrong and scope.prompts:
        reader.wrong(node, wrong)
    return anchor


def _inside(reader: Reader, keys: Keys) -> bool:
    node = keys.get("from")
    return node is not None and reader.word(node, 'place for "from"', ("inside",)) is not None


# --- words ------------------------------------------------------------------------------------


def _anchor(reader: Reader, node: Node, relation: Relation, scope: Scope) -> Anchor | None:
    if relation is Relation.AT:
        return Anchor(AnchorKind.TIME, relation, seconds=reader.seconds(node, '"at"'))
    words = " ".join(reader.filled(node, f'"{relation}"').split())
    if not words:
        return None
    found = _numbered(words, relation) or _named(words, relation, scope)
    if found is None:
        match = _NAMED.fullmatch(words)
        name = match["name"] if match else words
        names = ("chunk", "request", "terminal", *(tool.name for tool in scope.tools))
        guess = did_you_mean(name, (*names, *WAITS, *HOOKS, *RECORDS))
        tools = listed(tool.name for tool in scope.tools) or "none"
        reader.wrong(node, f'unknown anchor "{words}"{guess} Anchors: {_FORMS}. Tools: {tools}')
    elif found.number < 1 or (found.request < 1 and " of request " in f" {words}"):
        reader.wrong(node, "numbers of an anchor count from 1")
    return found


def _numbered(words: str, relation: Relation) -> Anchor | None:
    if match := _CHUNK.fullmatch(words):
        number, request = int(match["number"]), int(match["request"] or 0)
        return Anchor(AnchorKind.CHUNK, relation, number=number, request=request)
    if match := _REQUEST.fullmatch(words):
        return Anchor(AnchorKind.REQUEST, relation, number=int(match["number"]))
    if match := _TERMINAL.fullmatch(words):
        return Anchor(AnchorKind.TERMINAL, relation, request=int(match["request"] or 0))
    return None


def _named(words: str, relation: Relation, scope: Scope) -> Anchor | None:
    """A name and perhaps a count. A tool goes before a wait or hook of the same name."""
    if match := _TOOL.fullmatch(words):
        return _counted(AnchorKind.TOOL, relation, match)
    names = {tool.name for tool in scope.tools}
    if words in names:
        return Anchor(AnchorKind.TOOL, relation, name=words)
    match = _NAMED.fullmatch(words)
    assert match is not None, "any words match"
    name = match["name"]
    if name in names:
        return _counted(AnchorKind.TOOL, relation, match)
    if name in WAITS and (relation is Relation.DURING or name not in HOOKS):
        return _counted(AnchorKind.WAIT, relation, match)
    if name in HOOKS:
        return _counted(AnchorKind.HOOK, relation, match)
    if name in RECORDS:
        return _counted(AnchorKind.RECORD, relation, match)
    return None


def _counted(kind: AnchorKind, relation: Relation, match: re.Match[str]) -> Anchor:
    return Anchor(kind, relation, name=match["name"], number=int(match["number"] or 1))


# --- what cannot be ---------------------------------------------------------------------------


def _impossible(anchor: Anchor) -> str:
    """Why no harness could place this, or nothing."""
    kind, relation = anchor.kind, anchor.relation
    if anchor.inside and kind not in _FROM_INSIDE:
        instead = "; for a chunk write MessageUpdate" if kind is AnchorKind.CHUNK else ""
        return (
            '"from: inside" needs a moment at which the agent calls out: '
            f"a reported record, a hook, a request or a tool body{instead}"
        )
    if relation is Relation.DURING and kind not in _LASTING:
        return f'a {kind} does not last; "during" goes with a tool or a wait such as backoff'
    if relation is not Relation.BEFORE:
        return ""
    if kind in {AnchorKind.TOOL, AnchorKind.REQUEST} and not anchor.inside:
        return (
            f"nothing outside the agent knows that a {kind} is about to start; "
            f'add "from: inside" to act at its very start'
        )
    if kind is AnchorKind.TERMINAL:
        return 'write "after: chunk N" with the last chunk: the stream then holds its end'
    if kind in {AnchorKind.RECORD, AnchorKind.HOOK, AnchorKind.WAIT}:
        return f'nobody knows that a {kind} is about to come; write "after"'
    return ""


def _out_of_reach(anchor: Anchor, scope: Scope) -> str:
    """Why the scripts of these prompts never reach this, or nothing."""
    most = max((len(script) for script in scope.scripts), default=0)
    request = anchor.number if anchor.kind is AnchorKind.REQUEST else anchor.request
    if request > most:
        return f"request {request} has no answer; {_answers(most)}"
    if anchor.kind is AnchorKind.WAIT and anchor.name.startswith("store ") and not scope.has_store:
        return f'without a "store:" in the file there is no {anchor.name}'
    if anchor.kind is AnchorKind.CHUNK:
        return _no_chunk(anchor, scope)
    if anchor.kind is AnchorKind.TOOL:
        names = [tool.name for tool in scope.tools]
        if anchor.name not in names:
            guess = did_you_mean(anchor.name, names)
            return f'there is no tool "{anchor.name}"{guess} Tools: {listed(names) or "none"}'
        if anchor.name not in scope.called():
            return f'no answer of this prompt calls the tool "{anchor.name}"'
    return ""


def _no_chunk(anchor: Anchor, scope: Scope) -> str:
    streams = [
        stream
        for script in scope.scripts
        for number, stream in enumerate(script, start=1)
        if anchor.request in {0, number}
    ]
    longest = max((chunk_count(stream) for stream in streams), default=0)
    if anchor.number <= longest:
        return ""
    whose = f"of request {anchor.request}" if anchor.request else "of this prompt"
    has = "1 chunk" if longest == 1 else f"{longest} chunks"
    return f"there is no chunk {anchor.number}: the longest answer {whose} has {has}"


def _answers(count: int) -> str:
    return "the prompt has 1 answer" if count == 1 else f"the prompt has {count} answers"
