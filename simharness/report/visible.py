"""Makes characters visible that a viewer would obey, hide or refuse instead of showing.

A scripted model may stream any character: terminal escapes, marks that turn the reading direction,
lone surrogates, NUL. Every report shows them by their number, so that none of them can forge a
report or make it unreadable.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["HIDDEN", "visible"]

_NO_CHARACTERS: Final = "".join(
    f"{chr(plane | 0xFFFE)}{chr(plane | 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000)
)

HIDDEN: Final = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and line feed; the escapes of terminals
    "\xad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f"  # unseen, or turning the direction
    "\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\ufdd0-\ufdef\ufff9-\ufffb\ufffe\uffff"  # no characters at all
    "\U000e0000-\U000e0fff"  # tags: whole hidden texts
    f"{_NO_CHARACTERS}]"
)
"""What must not stand in a report as it is."""


def visible(text: str) -> str:
    r"""`text` with such characters as `\x1b`, `\u202e`, `\U000e0041`; lines and tabs stay.

    Doing it twice changes nothing.
    """
    return HIDDEN.sub(_numbered, text)


def _numbered(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
