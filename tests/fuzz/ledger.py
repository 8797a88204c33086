"""What is done already, one line of JSON for each block: a run goes on where it was stopped.

A ledger belongs to one state of the code: with any other the blocks would say something else.
"""

from __future__ import annotations

import hashlib
import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

__all__ = ["ROOT", "Ledger"]

ROOT = Path(__file__).parents[2]
_HEX = 12


class Ledger:
    """The finished blocks of one kind, in `.simharness/fuzz/`."""

    def __init__(self, kind: str, folder: Path = ROOT / ".simharness" / "fuzz") -> None:
        self._path = folder / f"{kind}-{_fingerprint()}.jsonl"

    def read(self) -> dict[int, Any]:
        """The blocks by number. Half a line at the end, left by a kill, is passed over."""
        if not self._path.exists():
            return {}
        found = {}
        for line in self._path.read_text(encoding="utf-8").splitlines():
            try:
                block = json.loads(line)
            except ValueError:
                continue
            found[block["number"]] = block
        return found

    def add(self, block: dict[str, Any]) -> None:
        """Write one more, with its `number`; a new line first ends half a line, if there is one."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"\n{json.dumps(block)}")


def _fingerprint() -> str:
    """The code that decides what a block says, and the Python and Hypothesis that run it."""
    digest = hashlib.sha256(f"{sys.version} {version('hypothesis')}".encode())
    for folder in (ROOT / "simharness", ROOT / "tests" / "fuzz"):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:_HEX]
