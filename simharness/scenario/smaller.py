"""Smaller cases: what a failing scenario could do without.

Every case that comes out was loaded from text that can be kept as a file. What would change the
meaning of a failure instead of its size stays: the contract, the mode, the profile. Runs nothing;
the search replays each candidate and never sees what it is.
"""

from __future__ import annotations

import itertools
import re
import string
from typing import TYPE_CHECKING, Final

import attrs

from simharness.scenario.load import load_text
from simharness.scenario.model import AnchorKind, CancelAction, PromptAction
from simharness.scenario.nodes import MapNode, Node, ScalarNode
from simharness.scenario.problems import Problems, ScenarioError
from simharness.scenario.steps import STEP_NAMES
from simharness.scenario.streams import chunk_count
from simharness.scenario.trimming import hoists, omissions, replaced, walk
from simharness.scenario.yamltext import parse, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from simharness.scenario.model import Case

__all__ = ["FILE", "smaller"]

FILE: Final = "<shrunk>"
"""What messages call a case that was made smaller: it stands in no file yet."""

_DESCRIBING: Final = (
    "about",
    "case",
    "expect",
    "expect_for",
    "explore",
    "needs",
    "schedule",
    "tags",
    "violates",
    "waive",
)
"""Keys that describe a case or what is made of it; no trial is another without them."""

_MEANING: Final = frozenset({"scenario", "contract", "mode", "mutant", "profile", "patience"})
"""Keys without which the same trial would be judged, or scheduled, in another way."""

_SAID: Final = frozenset({"prompt", "text", "returns", "reasoning", "opaque", "steer", "follow_up"})
_PLACES: Final = frozenset({"anywhere", "after", "before", "during", "at"})
"""Where an action is placed. Without it the schedule would have to delay the action: no gain."""

_ANCHORS: Final = frozenset({"after", "before", "during"})
_COUNTS: Final = frozenset({"burst", "keeps_sending", "effects", "pieces"})
_NUMBER: Final = re.compile(r"[0-9]+")


def smaller(case: Case) -> Iterator[Case]:
    """Yield the cases that are `case` less one thing, those that lose most first.

    First all that only describes it goes, and a cancel that the search placed gets a place of its
    own. Then parts are left out, long forms shortened, numbers lowered, texts cut to a letter.
    """
    root = _tree(case)
    tried = {case.source}
    edits: Iterable[Callable[[MapNode, Case], Iterator[MapNode]]] = (
        lambda root, _: iter((root.without(*_DESCRIBING),)),
        _placed,
        lambda root, _: omissions(root, keep=_MEANING | _PLACES),
        lambda root, _: _settings(root),
        lambda root, _: hoists(root),
        lambda root, _: _lowered(root),
        lambda root, _: _short_texts(root),
    )
    for candidate in itertools.chain.from_iterable(edit(root, case) for edit in edits):
        if not _means_the_same(root, candidate):
            continue
        text = write(candidate)
        if text not in tried:
            tried.add(text)
            yield from _loaded(text)


def _tree(case: Case) -> MapNode:
    root = parse(case.source, Problems(FILE, case.source))
    assert isinstance(root, MapNode), "a case can be loaded from its source"
    return root


def _loaded(text: str) -> Iterator[Case]:
    try:
        yield from load_text(text, FILE).cases
    except ScenarioError:
        return


def _means_the_same(before: MapNode, after: MapNode) -> bool:
    """Whether what decides the meaning of a trial is untouched, but for the agent's settings."""
    return all(
        _text(before.get(key)) == _text(after.get(key)) for key in _MEANING - {"contract"}
    ) and _contract_fits(before, after)


def _contract_fits(before: MapNode, after: MapNode) -> bool:
    """A field of the contract that repeats a setting goes with it, and no field goes alone."""
    fields, left = _mapping(before, "contract"), _mapping(after, "contract")
    settings, kept = _mapping(before, "agent"), _mapping(after, "agent")
    gone = {key for key in settings if key not in kept}
    return left.keys() == fields.keys() - gone and all(left[key] == fields[key] for key in left)


def _settings(root: MapNode) -> Iterator[MapNode]:
    """Leave out a setting of the agent together with what the contract says of it."""
    for name in _mapping(root, "agent"):
        if name in _mapping(root, "contract"):
            yield _less(_less(root, "agent", name), "contract", name)


def _less(root: MapNode, key: str, name: str) -> MapNode:
    node = root.get(key)
    assert isinstance(node, MapNode), "it has the name"
    rest = node.without(name)
    if not rest.pairs:
        return root.without(key)
    pairs = tuple((k, rest if k.text == key else value) for k, value in root.pairs)
    return attrs.evolve(root, pairs=pairs)


def _mapping(root: MapNode, key: str) -> dict[str, str]:
    node = root.get(key)
    return {k.text: write(v) for k, v in node.pairs} if isinstance(node, MapNode) else {}


def _text(node: Node | None) -> str:
    return "" if node is None else write(node)


# --- scalars ------------------------------------------------------------------------------------


def _lowered(root: MapNode) -> Iterator[MapNode]:
    """Lower a number of an anchor, or a count, to 1 and by 1; leave the current request unsaid."""
    for path, keys, node in walk(root):
        if not isinstance(node, ScalarNode) or not keys or keys[-1] not in _ANCHORS | _COUNTS:
            continue
        if " of request " in node.text:
            text = node.text.partition(" of request ")[0]
            yield replaced(root, path, attrs.evolve(node, text=text))
        for found in _NUMBER.finditer(node.text):
            number = int(found[0])
            for lower in dict.fromkeys((1, number - 1)):
                if 0 < lower < number:
                    text = f"{node.text[: found.start()]}{lower}{node.text[found.end() :]}"
                    yield replaced(root, path, attrs.evolve(node, text=text))


def _short_texts(root: MapNode) -> Iterator[MapNode]:
    """Cut a text of the model, a tool or the user to one letter that nothing else says yet."""
    texts = [
        (path, node)
        for path, keys, node in walk(root)
        if isinstance(node, ScalarNode) and _is_text(keys, node)
    ]
    used = {node.text for _, node in texts}
    letter = next((one for one in string.ascii_lowercase if one not in used), None)
    for path, node in texts:
        if letter is not None and len(node.text) > 1:
            yield replaced(root, path, ScalarNode(node.place, letter))


def _is_text(keys: tuple[str, ...], node: ScalarNode) -> bool:
    """Whether a scalar is a text that the user, the model or a tool says."""
    reserved = node.plain and node.text in STEP_NAMES
    return keys[-1] in _SAID or (keys[-1] in {"model", "stream", "late"} and not reserved)


# --- anchors ------------------------------------------------------------------------------------


def _placed(root: MapNode, case: Case) -> Iterator[MapNode]:
    """Give a cancel that the search places an anchor: it then needs no deviation to come."""
    prompt: PromptAction | None = None
    number = -1
    for action in case.actions:
        number += 1
        if isinstance(action, PromptAction):
            prompt = action
        elif isinstance(action, CancelAction) and action.anywhere and prompt is not None:
            for words in _places(prompt, case):
                yield from _anchored(root, number, words)


def _places(prompt: PromptAction, case: Case) -> Iterator[tuple[str, str]]:
    several = len(prompt.model) > 1
    for request, stream in enumerate(prompt.model, start=1):
        where = f" of {AnchorKind.REQUEST} {request}" if several else ""
        for chunk in range(1, chunk_count(stream) + 1):
            yield "after", f"chunk {chunk}{where}"
        yield "after", f"terminal{where}"
        yield "after", f"request {request}"
    yield from (("during", f"tool {tool.name}") for tool in case.tools)


def _anchored(root: MapNode, number: int, words: tuple[str, str]) -> Iterator[MapNode]:
    """Put the anchor in the place of `anywhere` in action `number` of the run."""
    run = next(index for index, (key, _) in enumerate(root.pairs) if key.text == "run")
    for path, keys, node in walk(root):
        if path[:2] != (run, number) or len(path) != 3 or keys != ("run", "cancel"):
            continue
        relation, place = words
        pair = (ScalarNode(node.place, relation), ScalarNode(node.place, place))
        kept = node.without("anywhere").pairs if isinstance(node, MapNode) else ()
        yield replaced(root, path, MapNode(node.place, (*kept, pair)))
