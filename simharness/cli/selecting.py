"""Which cases a command is about: paths, `FILE::CASE`, `-k`, `--tag`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simharness.campaign.shipped import suite_folder
from simharness.cli.problems import BadInput, did_you_mean

if TYPE_CHECKING:
    from simharness.scenario.model import Case

__all__ = ["Selected", "existing", "load_cases", "matcher", "select"]

Selected = Sequence["Case"]


def load_cases(paths: Sequence[str], *, suite: bool) -> list[Case]:
    """All cases of the files and folders in `paths`, and of the shipped suite if asked for.

    Raises BadInput for what does not exist, and with the problems of *all* files at once.
    """
    from simharness.scenario.load import find_files, load_file
    from simharness.scenario.problems import Problem, ScenarioError

    if not paths and not suite:
        raise BadInput("nothing to run: give scenario files or folders, or --suite")
    cases: list[Case] = []
    problems: list[Problem] = []
    for path, wanted in _split(paths, suite=suite):
        for file in find_files([path]):
            try:
                found = load_file(file).cases
            except ScenarioError as error:
                problems += error.problems
                continue
            cases += found if wanted is None else [_named(wanted, found, file)]
    if problems:
        raise ScenarioError(problems)
    if not cases:
        raise BadInput(f"no *.sim.yaml file in {', '.join(paths) or suite_folder()}")
    return cases


def _split(paths: Sequence[str], *, suite: bool) -> list[tuple[Path, str | None]]:
    split: list[tuple[Path, str | None]] = []
    for text in paths:
        name, _, case = text.partition("::")
        split.append((existing(name), case or None))
    if suite:
        split.append((suite_folder(), None))
    return split


def existing(name: str) -> Path:
    """The file or folder of this name; BadInput with the nearest one if there is none."""
    path = Path(name)
    if not path.exists():
        raise BadInput(f'there is no file or folder "{name}"{_near(path)}')
    return path


def _near(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"; the folder {folder} does not exist either"
    return did_you_mean(path.name, sorted(entry.name for entry in folder.iterdir()))


def _named(wanted: str, cases: Sequence[Case], file: Path) -> Case:
    for case in cases:
        if case.id == wanted:
            return case
    ids = [case.id for case in cases]
    raise BadInput(
        f'{file} has no case "{wanted}"{did_you_mean(wanted, ids)} Cases: {", ".join(ids)}'
    )


def select(cases: Iterable[Case], expression: str | None, tags: Sequence[str]) -> list[Case]:
    """The cases whose id matches `expression` and that carry one of `tags` (none: all)."""
    everything = list(cases)
    matches = matcher(expression) if expression else lambda _: True
    chosen = [
        case
        for case in everything
        if matches(case.id) and (not tags or not set(tags).isdisjoint(case.tags))
    ]
    if not chosen:
        known = sorted({tag for case in everything for tag in case.tags})
        near = next((did_you_mean(tag, known) for tag in tags if tag not in known), ".")
        hint = f" Tags: {', '.join(known) or 'none'}" if tags else ""
        raise BadInput(f"none of {len(everything)} cases matches -k or --tag{near}{hint}")
    return chosen


def matcher(expression: str) -> Callable[[str], bool]:
    """A test of case ids: words that they contain, joined by `and`, `or`, `not` and brackets."""
    tokens = re.findall(r"[()]|[^\s()]+", expression)
    test, rest = _alternatives(tokens)
    if rest:
        raise BadInput(f'-k "{expression}": cannot go on at "{rest[0]}"')
    return test


_Test = Callable[[str], bool]


def _alternatives(tokens: list[str]) -> tuple[_Test, list[str]]:
    left, rest = _together(tokens)
    while rest and rest[0] == "or":
        right, rest = _together(rest[1:])
        left = _either(left, right)
    return left, rest


def _together(tokens: list[str]) -> tuple[_Test, list[str]]:
    left, rest = _single(tokens)
    while rest and rest[0] == "and":
        right, rest = _single(rest[1:])
        left = _both(left, right)
    return left, rest


def _single(tokens: list[str]) -> tuple[_Test, list[str]]:
    if not tokens or tokens[0] in {"and", "or", ")"}:
        raise BadInput("-k: a word is missing; write for example: cancel and not tool")
    word, *rest = tokens
    if word == "not":
        test, rest = _single(rest)
        return (lambda name: not test(name)), rest
    if word == "(":
        test, rest = _alternatives(rest)
        if not rest:
            raise BadInput('-k: a ")" is missing')
        return test, rest[1:]
    return (lambda name: word.lower() in name.lower()), rest


def _either(left: _Test, right: _Test) -> _Test:
    return lambda name: left(name) or right(name)


def _both(left: _Test, right: _Test) -> _Test:
    return lambda name: left(name) and right(name)
