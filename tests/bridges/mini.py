"""A small sound agent of its own that speaks the protocol, without anything of simharness.

As a program (`python mini.py [BEHAVIOUR]`) it is a child process; `Mini` alone is what the tests of
corrupted messages talk to. A prompt `misbehave` makes it do what `BEHAVIOUR` says.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

Said = dict[str, Any]


class Mini:
    """The agent: what it says to each message, `idle` at the end."""

    def __init__(self) -> None:
        self.history: list[Said] = []
        self.streams = self.calls = self.run = 0
        self.text = ""
        self.asked: list[Said] = []
        self.open: dict[int, Said] = {}
        self.cancelled = self.failed = False

    def hear(self, message: Said) -> list[Said]:
        """What it says."""
        answer = getattr(self, "on_" + message["type"].replace("-", "_"), None)
        said: list[Said] = [] if answer is None else answer(message)
        hello = message["type"] == "hello"
        return said if hello else [*said, {"type": "idle"}]

    def on_hello(self, _: Said) -> list[Said]:
        """Introduce itself."""
        words = {"protocol": 1, "name": "mini", "version": "1"}
        contract = {"cut_message": "kept", "silent_close": "completed"}
        ways = {"cancel_ways": ["api"], "can": ["history"]}
        return [{"type": "introduction", **words, "contract": contract, **ways}]

    def on_open(self, _: Said) -> list[Said]:
        """A fresh agent."""
        self.__init__()  # type: ignore[misc]
        return []

    def on_prompt(self, message: Said) -> list[Said]:
        """Ask the model."""
        self.run, self.cancelled = message["run"], False
        self.history.append(_message("user", message["text"]))
        return self._ask()

    def _ask(self) -> list[Said]:
        self.streams += 1
        self.text, self.asked, self.failed = "", [], False
        request = {"type": "request", "run": self.run, "stream": self.streams}
        return [{**request, "messages": [*self.history]}, self._read()]

    def _read(self) -> Said:
        return {"type": "read", "stream": self.streams}

    def on_deliver(self, message: Said) -> list[Said]:
        """Show text, gather calls, read on."""
        chunk, said = message["chunk"], []
        if chunk["type"] == "text-delta":
            self.text += chunk["text"]
            said = [{"type": "shown", "run": self.run, "text": chunk["text"]}]
        elif chunk["type"] == "call-delta" and chunk.get("id"):
            self.asked.append({"type": "call", "id": chunk["id"], "name": chunk["name"]})
            self.asked[-1]["args"] = chunk.get("args", "")
        elif chunk["type"] == "call-delta":
            self.asked[-1]["args"] += chunk["args"]
        elif chunk["type"] in {"failed", "aborted"}:
            self.failed = True
        return [*said, self._read()]

    def on_end(self, _: Said) -> list[Said]:
        """Keep the message, run its tools or settle."""
        if self.failed and not self.cancelled:
            return [self._settled("failed")]
        if self.cancelled:
            self.asked = []
        if self.text or self.asked:
            words = [{"type": "text", "text": self.text}] if self.text else []
            message = {"role": "assistant", "blocks": [*words, *self.asked]}
            self.history.append(message | ({"interrupted": True} if self.cancelled else {}))
        if not self.asked:
            return [self._settled("cancelled" if self.cancelled else "completed")]
        return [self._call(asked) for asked in self.asked]

    def on_break(self, message: Said) -> list[Said]:
        """A failed stream: nothing is kept, unless the user asked for it."""
        if self.cancelled:
            return self.on_end(message)
        return [self._settled("failed", how="raised", error=message["error"]["message"])]

    def _call(self, asked: Said) -> Said:
        self.calls += 1
        self.open[self.calls] = asked
        call = {"type": "call", "run": self.run, "call": self.calls, "name": asked["name"]}
        return {**call, "args": asked["args"], "call_id": asked["id"]}

    def on_result(self, message: Said) -> list[Said]:
        """Keep the result; ask again when it was the last one."""
        asked = self.open.pop(message["call"])
        self.history.append(_message("tool", message["text"], call_id=asked["id"]))
        if self.open:
            return []
        return [self._settled("cancelled")] if self.cancelled else self._ask()

    def on_failure(self, message: Said) -> list[Said]:
        """A failed tool has a result, too."""
        return self.on_result(message)

    def on_cancel(self, message: Said) -> list[Said]:
        """Tell the stream, or the tools; the run settles when they have reacted."""
        if not message["run"] or self.cancelled:
            return []
        self.cancelled = True
        if self.open:
            return [{"type": "flag", "call": call} for call in self.open]
        return [{"type": "tell", "stream": self.streams}]

    def on_ask_history(self, _: Said) -> list[Said]:
        """Say what it displays."""
        return [{"type": "history", "messages": [*self.history]}]

    def _settled(self, outcome: str, how: str = "returned", **words: str) -> Said:
        return {"type": "settled", "run": self.run, "how": how, "outcome": outcome, **words}


def _message(role: str, text: str, **words: object) -> Said:
    return {"role": role, "blocks": [{"type": "text", "text": text}], **words}


# --- misbehaviour ---------------------------------------------------------------------------------


def write(*said: Said) -> None:
    """Say something in the ordinary way."""
    for one in said:
        raw(json.dumps(one).encode() + b"\n")


def raw(data: bytes) -> None:
    """Write bytes to standard output."""
    while data:
        data = data[os.write(1, data) :]


def crashes() -> None:
    """An error that nobody catches."""
    print("Traceback: the reason", file=sys.stderr)
    sys.exit(3)


def is_killed() -> None:
    """Out of memory, say."""
    os.kill(os.getpid(), signal.SIGKILL)


def falls_silent() -> None:
    """Never idle again."""
    time.sleep(60)


def prints() -> None:
    """A forgotten print between the messages."""
    raw(b"debug: here\n")


def breaks_off() -> None:
    """It dies in the middle of a line."""
    raw(b'{"type":"requ')
    sys.exit(0)


def never_ends_a_line() -> None:
    """A line longer than any message."""
    raw(b"x" * 200_000)
    time.sleep(60)


def floods() -> None:
    """Messages without end."""
    while True:
        write({"type": "shown", "run": 1, "text": "more "})


def closes_its_output() -> None:
    """Nothing can be heard of it, and it stays."""
    os.close(1)
    time.sleep(60)


def writes_binary() -> None:
    """Not even text."""
    raw(b"\xff\xfe\x00\n")


def speaks_another_language() -> None:
    """A message of a type that nobody knows."""
    write({"type": "reqeust", "run": 1})


def reads_what_is_not_there() -> None:
    """A stream for which no request was made."""
    write({"type": "read", "stream": 7})


def settles_twice() -> None:
    """The end of a run, twice."""
    write(*[{"type": "settled", "run": 1, "how": "returned"}] * 2)


def never_settles() -> None:
    """Idle, and nothing will come."""
    write({"type": "idle"})
    for _ in sys.stdin:
        write({"type": "history"}, {"type": "idle"})


def is_woken_in_the_past() -> None:
    """A clock that stands still."""
    write({"type": "idle", "wake": 0.0})


def is_loud() -> None:
    """Megabytes on standard error, then on as if nothing had been."""
    sys.stderr.write("noise\n" * 500_000)


def is_unable() -> None:
    """It cannot do what is asked, and goes on."""
    write({"type": "unable", "reason": "not with me"})


def is_deaf() -> None:
    """It asks, says that it is idle, and does not hear the answer."""
    request = {"type": "request", "run": 1, "stream": 1, "messages": []}
    write(request, {"type": "read", "stream": 1}, {"type": "idle"})
    time.sleep(60)


def asks_for_a_tool_that_is_not_there() -> None:
    """A tool of another scenario."""
    call = {"type": "call", "run": 1, "call": 1, "name": "serach", "args": "", "call_id": "c1"}
    write(call)


def main() -> None:
    """Serve; `hello` and what is not a name of a function above are the beginning's behaviours."""
    behaviour = sys.argv[1] if len(sys.argv) > 1 else ""
    if behaviour == "exits_at_once":
        sys.exit("no such module")
    mini = Mini()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello" and behaviour == "speaks_another_version":
            write({**mini.hear(message)[0], "protocol": 2})
            continue
        if message["type"] == "prompt" and message["text"] == "misbehave" and behaviour:
            act: Callable[[], None] = globals()[behaviour]
            act()
        write(*mini.hear(message))


if __name__ == "__main__":
    main()
