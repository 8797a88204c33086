"""What a dialect is: how a provider's requests are read and its answers written."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import attrs

if TYPE_CHECKING:
    from simharness.agent import Chunk, ProviderError, Request

__all__ = ["STATUS", "Dialect", "Encoder", "Posted", "openai_error", "text_of"]

STATUS: Mapping[str, int] = {
    "rate_limit": 429,
    "overloaded": 529,
    "auth": 401,
    "bad_request": 400,
    "timeout": 504,
    "network": 502,
    "server": 500,
}
"""HTTP status by the kind of a scripted error; unknown kinds are the server's."""


@attrs.frozen
class Posted:
    """What a client posted: the body as JSON, and whether it asks for a stream."""

    body: Mapping[str, Any]
    streaming: bool


class Encoder(Protocol):
    """Writes one answer. Streams call `chunk` for each chunk and `end` once it is over."""

    def chunk(self, chunk: Chunk) -> bytes:
        """The frames of a chunk, none for what the dialect does not show."""
        ...

    def end(self, *, finished: bool) -> bytes:
        """What stands behind the last chunk. `finished`: the provider said that it finished."""
        ...

    def whole(self) -> object:
        """The answer to a request without streaming, as JSON, from all chunks so far."""
        ...


@attrs.frozen
class Dialect:
    """A provider's way of speaking. `finishes` are the reasons for which it can say it finished."""

    name: str
    path: str
    finishes: frozenset[str]
    read: Callable[[Mapping[str, Any]], Request]
    encoder: Callable[[Mapping[str, Any]], Encoder]
    error: Callable[[ProviderError], object]


def openai_error(error: ProviderError) -> object:
    """The body of an error, as both of OpenAI's dialects write it."""
    return {"error": {"message": str(error), "type": error.kind, "param": None, "code": error.kind}}


def text_of(content: object, kinds: tuple[str, ...] = ("text",)) -> str:
    """The text of a content that is a string, a list of typed parts, or nothing."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return "" if content is None else json.dumps(content)
    return "".join(str(part.get("text", "")) for part in content if part.get("type") in kinds)
