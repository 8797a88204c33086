"""A real child process that is talked to in lines, with a limit on everything it may do to us.

It runs in real time, so this is the one place of the bridge with a wall clock. Nothing here knows
what the lines mean. Whatever the child does, each call comes back within its limit: the child's
standard error is read on the way and its end kept, so that a full pipe never blocks it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
import weakref
from collections.abc import Mapping, Sequence

import attrs

__all__ = ["ChildFault", "ChildLimits", "ChildProcess"]

_READ_BYTES = 65_536
_ERRORS_KEPT = 2_000
"""Characters of standard error that are kept: enough for the end of a stack trace."""
_LEAVE_S = 0.5
"""How long a child has to leave by itself when its input is closed, in real seconds."""


class ChildFault(Exception):
    """The child broke the rules of the bridge. `limit` is the verdict's name for it."""

    def __init__(self, limit: str, detail: str) -> None:
        super().__init__(f"{limit}: {detail}")
        self.limit = limit
        self.detail = detail


@attrs.frozen
class ChildLimits:
    """Bounds of one exchange, in real seconds, bytes and messages."""

    start_s: float = 60.0  # until it says hello; imports count, no trial's wall limit does
    answer_s: float = 10.0  # until it is idle again; healthy ones take milliseconds
    line_bytes: int = 8_000_000  # one message; a long history is some hundred kilobytes
    messages: int = 20_000  # between two times of being idle


class ChildProcess:
    """One child with pipes. Every method but `end` raises `ChildFault`."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        limits: ChildLimits,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """Start `command`; raises OSError if there is no such program."""
        self._limits = limits
        self._process = subprocess.Popen(  # noqa: S603 - the agent under test
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=dict(os.environ) if env is None else dict(env),
            bufsize=0,
            start_new_session=True,  # Ctrl-C is for us; what it starts is ended with it
        )
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._in, self._out, self._err = (pipe.fileno() for pipe in pipes if pipe is not None)
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._said = bytearray()
        self._searched = 0  # how much of `_said` holds no end of a line
        self._errors = ""
        self._allowed_s = self._until = 0.0
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._finish = weakref.finalize(self, _end, self._process)

    def allow(self, seconds: float) -> None:
        """Set when all that follows has to be over, in real seconds from now."""
        self._allowed_s = seconds
        self._until = time.monotonic() + seconds

    @staticmethod
    def now() -> float:
        """Real seconds since some moment."""
        return time.monotonic()

    def send(self, line: bytes) -> None:
        """Write one line, reading what the child says meanwhile."""
        left = memoryview(line + b"\n")
        while left:
            try:
                left = left[os.write(self._in, left) :]
            except BlockingIOError:
                self._poll.register(self._in, select.POLLOUT)
                try:
                    self._wait()
                finally:
                    self._poll.unregister(self._in)
            except OSError as error:
                raise self._gone() from error

    def receive(self) -> bytes:
        """The next line, without its end."""
        while True:
            end = self._said.find(b"\n", self._searched)
            if end >= 0:
                line = bytes(self._said[:end])
                del self._said[: end + 1]
                self._searched = 0
                return line
            self._searched = len(self._said)
            if self._searched > self._limits.line_bytes:
                detail = f"a line without end, longer than {self._limits.line_bytes} bytes"
                raise ChildFault("child-flood", detail)
            self._wait()

    def _wait(self) -> None:
        """Take in what comes next, or find that nothing comes."""
        left_s = self._until - time.monotonic()
        ready = self._poll.poll(max(0.0, left_s) * 1000)
        if not ready or left_s <= 0:
            raise ChildFault("child-silence", f"not idle again within {self._allowed_s:g} s")
        for descriptor, _ in ready:
            if descriptor == self._err:
                self._hear_errors()
            elif descriptor == self._out:
                self._hear()

    def _hear(self) -> None:
        with contextlib.suppress(BlockingIOError):
            piece = os.read(self._out, _READ_BYTES)
            if not piece:
                raise self._gone()
            self._said += piece

    def _hear_errors(self) -> None:
        with contextlib.suppress(BlockingIOError):
            piece = os.read(self._err, _READ_BYTES)
            if not piece:
                self._poll.unregister(self._err)
            self._errors = (self._errors + piece.decode("utf-8", "replace"))[-_ERRORS_KEPT:]

    def _gone(self) -> ChildFault:
        """How the child ended that talks to us no more."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_LEAVE_S)
        with contextlib.suppress(OSError, KeyError):
            self._hear_errors()
        code = self._process.returncode
        if code is None:
            return ChildFault("child-exit", "it closed its pipes and did not exit")
        how = f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
        cut = "" if not self._said else f", in the middle of a line of {len(self._said)} bytes"
        return ChildFault("child-exit", how + cut)

    @property
    def errors(self) -> str:
        """The end of what it wrote to standard error. Not for traces: it may hold anything."""
        return self._errors

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def end(self, *, at_once: bool = False) -> None:
        """End the child: by closing its input, and where that does not help by a kill."""
        if at_once:
            _kill(self._process)
        self._finish()


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_LEAVE_S)
    _kill(process)
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the child and what it started, unless it is gone: its number may be another's then."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
