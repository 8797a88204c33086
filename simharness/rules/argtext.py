"""Argument text of tool calls: does it parse, and did it arrive whole?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache

__all__ = ["is_json", "parses", "texts", "whole"]


@lru_cache(maxsize=2048)
def is_json(text: str) -> bool:
    """Whether `text` is one JSON value."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def parses(args: str) -> bool:
    """Whether argument text can be read. Blank text is how providers say "no arguments"."""
    return args == "{}" or not args.strip() or is_json(args)


def whole(pieces: Sequence[str], *, finished: bool) -> bool:
    """Whether `pieces` hold a complete argument text.

    A blank text is complete once the stream has finished. An aggregate that repeats a preview is
    complete by itself, so a tail that is an object counts.
    """
    joined = "".join(pieces)
    if not joined.strip():
        return finished
    if is_json(joined):
        return True
    tails = ("".join(pieces[start:]) for start in range(1, len(pieces)))
    return any(tail.lstrip().startswith("{") and is_json(tail) for tail in tails)


def texts(pieces: Sequence[str]) -> tuple[str, ...]:
    """The argument texts that `pieces` hold under one id: one, or those of two different calls.

    The same text again, or what it was the beginning of, is a preview and its confirmation.
    """
    for at in range(1, len(pieces)):
        first, second = "".join(pieces[:at]), "".join(pieces[at:])
        goes_on = second.startswith(first)
        if not goes_on and is_json(second) and (is_json(first) or second.startswith("{")):
            return first, second
    return ("".join(pieces),)
