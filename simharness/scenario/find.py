"""Find scenario files: folders are searched for `*.sim.yaml`, files are taken as they are.

Hidden folders are not entered: what is kept there was not written by hand.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simharness.scenario.model import Place
from simharness.scenario.problems import Problem, ScenarioError, closest, listed

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

__all__ = ["SUFFIX", "find_files"]

SUFFIX = ".sim.yaml"
"""How the name of a scenario file ends."""

_NEARBY_MAX = 8  # names that are listed to help


def find_files(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return the scenario files under `paths`, each once; those of a folder are sorted.

    Raises ScenarioError for paths that do not exist and folders without scenarios.
    """
    found: dict[Path, None] = {}
    problems: list[Problem] = []
    for path in map(Path, paths):
        if path.is_dir():
            files = sorted(file for file in path.rglob(f"*{SUFFIX}") if _is_shown(file, path))
            found.update(dict.fromkeys(files))
            if not files:
                problems.append(_problem(path, f"no *{SUFFIX} file in this folder"))
        elif path.exists():
            found[path] = None
        else:
            problems.append(_problem(path, f"no such file or folder{_nearby(path)}"))
    if problems:
        raise ScenarioError(problems)
    return list(found)


def _is_shown(file: Path, folder: Path) -> bool:
    """Whether `file` is one, and no part of its path below `folder` is hidden."""
    parts = file.relative_to(folder).parts
    return file.is_file() and not any(part.startswith(".") for part in parts)


def _problem(path: Path, message: str) -> Problem:
    return Problem(Place(str(path), 0), message)


def _nearby(path: Path) -> str:
    """What a missing path may have meant, or what there is in its folder."""
    parent = path.parent
    while not parent.is_dir() and parent != parent.parent:
        parent = parent.parent
    names = sorted(
        child.name for child in parent.iterdir() if child.is_dir() or child.name.endswith(SUFFIX)
    )
    guess = closest(path.name, names)
    if guess:
        return f'; did you mean "{parent / guess}"?'
    if not names:
        return f'; "{parent}" holds no scenarios'
    more = ", ..." if len(names) > _NEARBY_MAX else ""
    return f'; in "{parent}" there is {listed(names[:_NEARBY_MAX])}{more}'
