"""Replay codes that a command is given, and where the case of a code is found again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from simharness.campaign.shipped import suite_folder
from simharness.cli.problems import BadInput, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simharness.replay.code import ReplayCode
    from simharness.scenario.model import Case

__all__ = ["case_of", "codes", "is_code"]

_CODE = re.compile(r"sh[0-9]+:[A-Za-z0-9_-]+")


def is_code(text: str) -> bool:
    """Whether `text` is meant as a replay code, not as a file."""
    return re.match(r"sh[0-9]+:", text) is not None


def codes(text: str) -> Iterator[ReplayCode]:
    """The code `text`, or each code that stands in the file of this name, once."""
    from simharness.replay.code import ReplayCode, ReplayError

    found = [text]
    if not is_code(text):
        if not Path(text).is_file():
            raise BadInput(f'"{text}" is no replay code (one starts with sh1:) and no file')
        content = Path(text).read_text(encoding="utf-8", errors="replace")
        found = list(dict.fromkeys(_CODE.findall(content)))
        if not found:
            raise BadInput(f"{text} holds no replay code; one starts with sh1:")
    for code in found:
        try:
            yield ReplayCode.decode(code)
        except ReplayError as error:
            raise BadInput(str(error)) from None


def case_of(code: ReplayCode, paths: Sequence[str]) -> Case:
    """The case of a code: from the code, from the file kept beside, from files by its id."""
    from simharness.replay.code import sidecar
    from simharness.scenario.load import load_text

    source = code.source
    if source is None and Path(sidecar(code.source_hash)).is_file():
        source = Path(sidecar(code.source_hash)).read_text(encoding="utf-8")
    if source is not None:
        (case,) = load_text(source, file="<replay code>").cases
        return case
    return _by_id(code.case, paths)


def _by_id(wanted: str, paths: Sequence[str]) -> Case:
    """The case with this id in `paths`, else in the shipped suite.

    Only files that name its scenario are read, so a mistake in another file is no obstacle.
    """
    from simharness.scenario.load import find_files, load_file

    folders = [*paths, str(suite_folder())]
    seen: list[str] = []
    for folder in folders:
        if not Path(folder).exists():
            if folder in paths:
                raise BadInput(f'there is no file or folder "{folder}"')
            continue
        for file in find_files([folder]):
            if wanted.partition("[")[0] not in file.read_text(encoding="utf-8", errors="replace"):
                continue
            for case in load_file(file).cases:
                if case.id == wanted:
                    return case
                seen.append(case.id)
    where = ", ".join([*paths, "the shipped suite"])
    near = did_you_mean(wanted, seen)
    raise BadInput(
        f'this code is of the case "{wanted}", which is not in {where}{near} '
        "Give its file behind the code."
    )
