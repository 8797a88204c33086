"""Where the shipped suite lies: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

__all__ = ["suite_folder"]


def suite_folder() -> Path:
    """The folder of the shipped scenarios, seen from the working directory if it lies below."""
    package = Path(__file__).parents[1]
    inside = package / "suite"
    folder = inside if inside.is_dir() else package.parent / "scenarios"
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder
