"""Writes files whole or not at all, so that a reader never sees half a report."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["write_text"]


def write_text(path: Path, text: str) -> None:
    """Replace the file at `path` by `text` (UTF-8), making its folder if there is none.

    The text goes to a temporary file in the same folder first: a rename within one file system is
    atomic. On any error the old file stays as it was and the temporary one is removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(
            handle, "w", encoding="utf-8", newline="\n", errors="backslashreplace"
        ) as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
