"""The text form of a replay code: any text, packed into one short token that needs no quotes.

`sh1:` and the URL-safe alphabet of base64, so a shell takes it as it is. A changed character is
always noticed. What the text means belongs to `replay`.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib

__all__ = ["FORMAT", "ReplayError", "packed_size", "read", "write"]

FORMAT = 1
"""The format that is written. A new format gets a new number and its own reader."""

_TEXT_MAX_BYTES = 1 << 20  # no code unpacks to more, whoever wrote it
_CHECKSUM_BYTES = 4

# Words that most codes contain; deflate then spends two bytes on them instead of ten. Part of
# format 1: with another dictionary, old codes cannot be read.
_WORDS = (
    b"\nscenario: about: tools: takes: returns: effects: raises: prompt: model: - text: - call: "
    b"args: - tool: - cancel: {anywhere: true} after: chunk before: during: way: on_cancel: "
    b"report: aborted error close finish hang latency: expect: outcome: [completed, cancelled, "
    b"failed] history: role: user assistant tool interrupted: true is_error: time passes, timer, "
    b"chunk of request,end of request,cancel,search,between,tools,after,before,stream,"
    b'"pydantic-ai","2.","tinyagent","1.2.","reference","0.1.0","3.13","3.12","3.11",'
    b'"relaxed",0,[[,"strict",0,[[1,1,2,"'
)


class ReplayError(ValueError):
    """A text that is no replay code, or one that cannot be written or read here."""


def write(text: str) -> str:
    """Pack `text` into a code."""
    packed = _deflate(text)
    return f"sh{FORMAT}:{_to_token(packed + _checksum(packed))}"


def read(code: str) -> str:
    """Unpack the text of a code. Raises ReplayError with a sentence that says what is wrong."""
    data = _from_token(_token(code.strip()))
    packed, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
    if _checksum(packed) != checksum:
        raise ReplayError(
            "the checksum of this replay code does not match: a character is wrong or missing; "
            "copy the whole code again"
        )
    return _inflate(packed)


def packed_size(text: str) -> int:
    """Return how many bytes `text` takes inside a code, before they are written as characters."""
    return len(_deflate(text))


def _token(text: str) -> str:
    found = re.match(r"sh([0-9]+):", text)
    if found is None:
        raise ReplayError(f"this is no replay code: it starts with {text[:8]!r}, not with 'sh1:'")
    if found[1] != str(FORMAT):
        raise ReplayError(
            f"this replay code has format {found[1]}, this simharness reads format {FORMAT}: "
            "use the version that wrote it"
        )
    return text[found.end() :]


def _to_token(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _from_token(token: str) -> bytes:
    foreign = re.search(r"[^A-Za-z0-9_-]", token)
    if foreign is not None:
        raise ReplayError(
            f"this replay code is damaged: {foreign[0]!r} at position {foreign.start() + 1} behind "
            "'sh1:' is never part of one"
        )
    try:
        data = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except binascii.Error:
        data = b""
    # The last character has bits to spare; only one of its spellings is ever written.
    if _to_token(data) != token:
        raise ReplayError("this replay code is damaged: characters are missing or wrong at its end")
    return data


def _checksum(packed: bytes) -> bytes:
    # A CRC notices every change within 32 bits, so a wrong character never slips through.
    return zlib.crc32(packed).to_bytes(_CHECKSUM_BYTES, "big")


def _deflate(text: str) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, _WORDS)
    return packer.compress(text.encode("utf-8", "surrogatepass")) + packer.flush()


def _inflate(packed: bytes) -> str:
    unpacker = zlib.decompressobj(-15, zdict=_WORDS)
    try:
        data = unpacker.decompress(packed, _TEXT_MAX_BYTES)
        if not unpacker.eof:
            raise ReplayError("this replay code is damaged: its content is cut off or far too long")
        return data.decode("utf-8", "surrogatepass")
    except (zlib.error, UnicodeDecodeError) as error:
        raise ReplayError(f"this replay code is damaged: {error}") from error
