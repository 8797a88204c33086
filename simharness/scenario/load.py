"""Load scenario files: text -> node tree -> variants of the matrix -> cases.

All problems of a file are collected and raised as one `ScenarioError`. Nothing but that error comes
out of bad input.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from simharness.scenario.cases import FILE_KEYS, case_id, read_case
from simharness.scenario.expand import Variant, expand
from simharness.scenario.fields import Reader
from simharness.scenario.find import find_files
from simharness.scenario.model import Case, Place, Scenario
from simharness.scenario.nodes import MapNode, ScalarNode, resolve
from simharness.scenario.overrides import apply_overrides
from simharness.scenario.problems import Problem, Problems, ScenarioError
from simharness.scenario.yamltext import parse

if TYPE_CHECKING:
    import os

__all__ = ["Problem", "ScenarioError", "find_files", "load_file", "load_text"]


def load_file(path: str | os.PathLike[str]) -> Scenario:
    """Load one file. Raises ScenarioError with every problem it has."""
    name = str(path)
    try:
        data = Path(path).read_bytes()
    except OSError as exc:
        reason = exc.strerror or str(exc)
        raise ScenarioError([Problem(Place(name, 0), f"cannot be read: {reason}")]) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise ScenarioError([_not_utf8(name, data, exc.start)]) from None
    return load_text(text, name)


def load_text(text: str, file: str = "<text>") -> Scenario:
    """Load a scenario from its text; `file` is what error messages call it."""
    problems = Problems(file, text)
    reader = Reader(problems)
    root = parse(text, problems)
    problems.raise_if_any()
    assert root is not None, "no tree without a problem"
    root = reader.mapping(root, "a scenario file")
    problems.raise_if_any()
    reader.keys(root, "a scenario", FILE_KEYS)
    variants = expand(reader, root)
    if not variants:  # an `each` without values, which is a problem by now
        problems.raise_if_any()
    variants = apply_overrides(reader, variants)
    cases = tuple(_case(reader, variant) for variant in variants)
    _check_ids(reader, root, cases)
    problems.raise_if_any()
    return Scenario(cases[0].scenario, cases, file)


def _case(reader: Reader, variant: Variant) -> Case:
    return read_case(reader, _named(variant), variant.values)


def _named(variant: Variant) -> MapNode:
    """The tree of one case with its words in it, so that its text gives the same id again."""
    root = variant.root.without("case")
    if not variant.values:
        return root
    here = root.place
    words = tuple(
        (ScalarNode(here, name), ScalarNode(here, word, "" if _safe(word) else "'"))
        for name, word in variant.values.items()
    )
    case = (ScalarNode(here, "case"), MapNode(here, words))
    return attrs.evolve(root, pairs=(*root.pairs[:1], case, *root.pairs[1:]))


def _safe(word: str) -> bool:
    """Whether a word may stand without quotes and still be that text."""
    return resolve(word) is not None and not word.startswith("$")


def _check_ids(reader: Reader, root: MapNode, cases: tuple[Case, ...]) -> None:
    seen: set[str] = set()
    for case in cases:
        identity = case_id(case.scenario, case.values)
        if identity in seen:
            reader.wrong(root, f"two cases are called {identity}")
        seen.add(identity)


def _not_utf8(file: str, data: bytes, start: int) -> Problem:
    before = data[:start]
    line = before.count(b"\n") + 1
    column = len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
    place = Place(file, line, column)
    return Problem(place, f"byte 0x{data[start]:02x} is not UTF-8; scenario files are UTF-8 text")
