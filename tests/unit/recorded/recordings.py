"""Checks small traces, for the tests of recorded formats."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from simharness.recorded.checking import check
from simharness.recorded.formats import FORMATS

if TYPE_CHECKING:
    from simharness.recorded.checking import Checked

Event = dict[str, Any]


def checked(form: str, *lines: Event | str, at_client: bool = False) -> Checked:
    """What comes of a trace of these lines."""
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return check(io.BytesIO(text.encode()), "trace", FORMATS[form], at_client=at_client)


def broken(done: Checked) -> set[str]:
    """The ids of the rules that a trace breaks; it was read to its end."""
    assert done.refused is None
    return set(done.tally.broken)


def texts(done: Checked) -> list[str]:
    """The messages of the findings, with their lines."""
    return [f"{found.spot[0]}: {found.message}" for found in done.findings]
