"""Plain data as scenario text: what a strategy draws becomes a file that anyone could have written.

A `Word` stands in the file without quotes, as reserved words, durations and anchors do; every other
text is quoted, so that no drawn text is taken for a word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simharness.scenario.fields import Reader
from simharness.scenario.load import load_text
from simharness.scenario.model import Case, Place, Stream
from simharness.scenario.nodes import ListNode, MapNode, Node, ScalarNode
from simharness.scenario.problems import Problems
from simharness.scenario.streams import read_model
from simharness.scenario.yamltext import write

__all__ = ["Data", "Document", "Word", "case_of", "streams_of"]

Data = str | int | bool | None | Sequence["Data"] | Mapping[str, "Data"]
"""What strategies draw."""

Document = dict[str, Data]
"""A mapping of the language: a file, an action, the options of something."""

_HERE = Place("<drawn>")
_BLOCKS = frozenset({"model", "tools", "run"})
"""Keys of a file under which each item has a line of its own."""

_EMPTY: tuple[Data, ...] = ([], {})
"""What is left out of a file."""


class Word(str):
    """Text that stands without quotes."""

    __slots__ = ()


def case_of(document: Document) -> Case:
    """The one case of a scenario without a matrix. Raises ScenarioError if it is not valid."""
    pairs = tuple(
        (ScalarNode(_HERE, key), _node(value, block=key in _BLOCKS))
        for key, value in document.items()
        if value not in _EMPTY
    )
    text = write(MapNode(_HERE, pairs, flow=False))
    (case,) = load_text(text, _HERE.file).cases
    return case


def streams_of(answers: Sequence[Data]) -> tuple[Stream, ...]:
    """What these answers of a model are as streams. Raises ScenarioError for invalid ones."""
    problems = Problems(_HERE.file, "")
    streams = read_model(Reader(problems), _node(answers), "model")
    problems.raise_if_any()
    return streams


def _node(data: Data, *, block: bool = False) -> Node:
    if isinstance(data, Mapping):
        pairs = ((ScalarNode(_HERE, str(key)), _node(value)) for key, value in data.items())
        return MapNode(_HERE, tuple(pairs), flow=not block)
    if isinstance(data, str):
        return ScalarNode(_HERE, str(data), "" if isinstance(data, Word) else '"')
    if isinstance(data, Sequence):
        return ListNode(_HERE, tuple(_node(item) for item in data), flow=not block)
    return ScalarNode(_HERE, "null" if data is None else str(data).lower())
