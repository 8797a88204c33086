"""Writes files whole or not at all, so that a reader never sees half a report."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["WriteError", "write_text"]


class WriteError(OSError):
    """A file cannot be written; `filename` is the one that was asked for."""


def write_text(path: Path, text: str) -> None:
    """Replace the file at `path` by `text` (UTF-8), making its folder if there is none.

    The text goes to a temporary file in the same folder first: a rename within one file system is
    atomic. On any error the old file stays as it was and the temporary one is removed.
    Raises WriteError.
    """
    try:
        _replace(path, text)
    except OSError as error:
        raise WriteError(error.errno, error.strerror or str(error), str(path)) from error


def _replace(path: Path, text: str) -> None:
    import tempfile  # not needed by `--help`, which imports WriteError

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
