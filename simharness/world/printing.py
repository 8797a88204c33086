"""What agents print while they are tried: it goes nowhere, so that reports stay readable.

A search runs the same agent thousands of times. A replay is one trial, and shows what it prints.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO


@contextlib.contextmanager
def printing_to(output: TextIO | None) -> Iterator[None]:
    """Send both standard streams to `output`; None drops what is written, at next to no cost."""
    with contextlib.ExitStack() as stack:
        if output is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8", errors="replace")  # noqa: SIM115
            output = stack.enter_context(nowhere)
            stack.enter_context(contextlib.redirect_stderr(output))
        stack.enter_context(contextlib.redirect_stdout(output))
        yield
