"""A transport for a client's own HTTP library: requests in, scripted bytes out.

`httpx` and `httpx2` have the same interface under different names, and a client accepts only its
own; so the module is a parameter.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from simharness.agent import (
    CallDelta,
    Chunk,
    Failed,
    Finish,
    Malformed,
    NotApplicable,
    OpaqueDelta,
    ProviderError,
    ReasoningDelta,
    Request,
    TextDelta,
)
from simharness.provider.wire.chat import CHAT
from simharness.provider.wire.dialect import STATUS, Dialect
from simharness.provider.wire.messages import MESSAGES
from simharness.provider.wire.responses import RESPONSES
from simharness.verdict import HarnessError

if TYPE_CHECKING:
    from simharness.provider.playback import ScriptedStream
    from simharness.provider.wire.dialect import Encoder

__all__ = ["DIALECTS", "Wire", "transport"]

DIALECTS: tuple[Dialect, ...] = (CHAT, RESPONSES, MESSAGES)

LIBRARIES = ("httpx", "httpx2")

_CONTENT = (TextDelta, ReasoningDelta, OpaqueDelta, CallDelta)


def transport(
    library: str,
    ask: Callable[[Request], ScriptedStream],
    fail: Callable[[Exception], BaseException],
) -> Any:
    """An async transport of `library` (httpx or httpx2) whose answers are scripted streams.

    `ask` makes a model request. `fail` ends the trial with an error of the set-up, which a client
    would otherwise take for one of the provider. Raises HarnessError for another library, and
    ImportError if it is not installed.
    """
    if library not in LIBRARIES:
        raise HarnessError(f"transport({library!r}): known libraries are {', '.join(LIBRARIES)}")
    return Wire(importlib.import_module(library), ask, fail).made()


class Wire:
    """Reads what a client posts and answers it, with the classes of one HTTP library."""

    def __init__(
        self,
        http: Any,
        ask: Callable[[Request], ScriptedStream],
        fail: Callable[[Exception], BaseException],
    ) -> None:
        self._http = http
        self._ask = ask
        self._fail = fail

    def made(self) -> Any:
        """The transport."""
        wire = self

        class Transport(self._http.AsyncBaseTransport):  # type: ignore[misc, name-defined]
            async def handle_async_request(self, request: Any) -> Any:
                return await wire.answer(request)

        return Transport()

    async def answer(self, request: Any) -> Any:
        """Answer one HTTP request with a response of the library."""
        dialect = self._dialect(request.url.path)
        body = json.loads(await request.aread())
        posted = dialect.read(body)
        stream = self._ask(posted)
        encoder = dialect.encoder(body)
        if stream.opens and posted.streaming:
            return self._streamed(Body(stream, encoder, self._broken, self._cut_off))
        calls: set[int] = set()
        try:
            async for chunk in stream:
                if isinstance(chunk, Failed):
                    return self._refused(dialect, chunk.error)
                if not posted.streaming and (lacking := _unsayable_whole(chunk, calls)):
                    raise self._fail(NotApplicable(f"a whole answer has no {lacking}"))
                encoder.chunk(chunk)
        except ProviderError as error:
            raise self._http.ConnectError(str(error)) from None
        finally:
            await stream.aclose()
        return self._http.Response(200, json=encoder.whole())

    def _dialect(self, path: str) -> Dialect:
        for dialect in DIALECTS:
            if path.endswith(dialect.path):
                return dialect
        known = ", ".join(dialect.path for dialect in DIALECTS)
        raise self._fail(HarnessError(f"a client asked for {path!r}; scripted are {known}"))

    def _streamed(self, body: Body) -> Any:
        class Stream(self._http.AsyncByteStream):  # type: ignore[misc, name-defined]
            def __aiter__(self) -> AsyncIterator[bytes]:
                return body

            async def aclose(self) -> None:
                await body.aclose()

        head = {"content-type": "text/event-stream; charset=utf-8"}
        return self._http.Response(200, headers=head, stream=Stream())

    def _refused(self, dialect: Dialect, error: ProviderError) -> Any:
        """An error before the stream: a status, and how long to wait if the script says so."""
        wait_s = error.retry_after_s
        headers = {} if wait_s is None else {"retry-after": f"{wait_s:g}"}
        status = STATUS.get(error.kind, 500)
        return self._http.Response(status, headers=headers, json=dialect.error(error))

    def _broken(self, error: ProviderError) -> Exception:
        """A connection that breaks, as the library says it."""
        made: Exception = self._http.RemoteProtocolError(
            f"peer closed connection without sending complete message body ({error})"
        )
        return made

    def _cut_off(self) -> Exception:
        """A response that another task closed while it was read, as the library says it."""
        made: Exception = self._http.ReadError("the response was closed while it was read")
        return made


def _unsayable_whole(chunk: Chunk, calls: set[int]) -> str:
    """What of a stream no whole answer can hold; `calls` are those begun so far. "" if all."""
    if isinstance(chunk, CallDelta):
        named, known = bool(chunk.id or chunk.name), chunk.index in calls
        calls.add(chunk.index)
        if named == known:
            return "call that is announced twice" if named else "arguments without a call"
        return ""
    return "chunk that cannot be decoded" if isinstance(chunk, Malformed) else ""


class Body:
    """The bytes of one streamed answer, frame by frame as the script delivers."""

    def __init__(
        self,
        stream: ScriptedStream,
        encoder: Encoder,
        broken: Callable[[ProviderError], Exception],
        cut_off: Callable[[], Exception],
    ) -> None:
        self._stream = stream
        self._encoder = encoder
        self._broken = broken
        self._cut_off = cut_off
        self._closed = False
        self._finished = False
        self._over = False
        self._chunks = stream.chunks
        self._left = b""  # taken, and not handed over yet

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        """The next bytes; what the dialect does not show is passed over."""
        while not (self._left or self._over):
            self._left = await self._next()
        if not self._left:
            raise StopAsyncIteration
        split = self._stream.wire.split or len(self._left)
        piece, self._left = self._left[:split], self._left[split:]
        return piece

    async def _next(self) -> bytes:
        """What the next chunk or the end is in bytes."""
        try:
            chunk = await self._stream.__anext__()
        except StopAsyncIteration:
            if self._closed:
                raise self._cut_off() from None
            self._over = True
            done = self._finished and self._stream.wire.done
            return self._encoder.end(finished=done)
        except ProviderError as error:
            raise self._broken(error) from None
        self._finished = self._finished or isinstance(chunk, Finish)
        return self._cut(chunk, self._encoder.chunk(chunk))

    def _cut(self, chunk: Chunk, written: bytes) -> bytes:
        """The frame of a chunk, or half of it if it is the last one and the script says so."""
        self._chunks -= isinstance(chunk, _CONTENT)
        last = isinstance(chunk, _CONTENT) and not self._chunks
        return written[: len(written) // 2] if last and self._stream.wire.truncate else written

    async def aclose(self) -> None:
        """The client hangs up: all that a cancel is on a wire."""
        self._closed = True
        try:
            await self._stream.aclose()
        except ProviderError as error:
            raise self._broken(error) from None
