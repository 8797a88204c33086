"""Texts that a page carries along compressed and shows only when they are asked for.

The details of many cases are much alike: packed they take a twentieth of the room, and a browser
need not lay them out before somebody opens one. Each pack holds a few, so that the first one opens
at once.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SIZE", "packed", "unpacked"]

SIZE: Final = 32
"""Texts of a pack."""


def packed(texts: Sequence[str | None]) -> list[str]:
    """`texts` in packs of `SIZE`."""
    return [_pack(texts[start : start + SIZE]) for start in range(0, len(texts), SIZE)]


def _pack(texts: Sequence[str | None]) -> str:
    """Base64 of a zlib stream of JSON, which `DecompressionStream` reads."""
    data = json.dumps(texts, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(data, 9)).decode()


def unpacked(pack: str) -> list[str | None]:
    """What is in a pack, as the page's own script reads it."""
    texts: list[str | None] = json.loads(zlib.decompress(base64.b64decode(pack)))
    return texts
