"""Survivors: generated mutants that the suite is known to let pass, with one reason each.

They are data, in survivors.yaml beside this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import yaml

__all__ = ["SURVIVORS"]

_FILE = Path(__file__).with_suffix(".yaml")

SURVIVORS: Final[Mapping[str, str]] = {
    change: entry["why"]
    for entry in yaml.safe_load(_FILE.read_text("utf-8"))
    for change in entry["changes"]
}
"""The reason of each, by the name of the change."""
