"""Where the shipped suite lies: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

__all__ = ["suite_folder"]


def suite_folder() -> Path:
    """The folder of the shipped scenarios."""
    package = Path(__file__).parent
    inside = package / "suite"
    return inside if inside.is_dir() else package.parent / "scenarios"
