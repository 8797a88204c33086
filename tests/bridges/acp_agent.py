"""A small ACP agent, without anything of simharness: sound, or with one fault around its cancel.

It says three pieces, asks for a permission between the second and the third, and calls a tool.
"""

from __future__ import annotations

import json
import select
import sys
import time
from typing import Any

Said = dict[str, Any]
FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
SESSION = {"sessionId": "s"}


def say(**message: Any) -> None:
    """Say something."""
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def update(kind: str, **words: Any) -> None:
    """An update of the session."""
    words = {"update": {"sessionUpdate": kind, **words}, **SESSION}
    say(method="session/update", params=words)


def piece(text: str) -> None:
    """A piece of the answer."""
    update("agent_message_chunk", content={"type": "text", "text": text})


class Agent:
    """The agent: one prompt at a time."""

    def __init__(self) -> None:
        self.cancelled = False
        self.asked = 0

    def hear(self, seconds: float | None) -> Said | None:
        """The next message, if one comes within so many seconds."""
        if seconds is not None and not select.select([sys.stdin], [], [], seconds)[0]:
            return None
        line = sys.stdin.readline()
        if not line:
            sys.exit(0)
        said: Said = json.loads(line)
        if said.get("method") == "session/cancel":
            self.cancelled = True
        return said

    def stopped(self) -> bool:
        """Whether the user has cancelled, waiting a little for it."""
        if FAULT != "deaf":
            self.hear(0.05)
        return self.cancelled

    def permitted(self) -> bool:
        """Ask the user, and wait for the answer."""
        self.asked += 1
        number = f"p{self.asked}"
        options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
        call = {"toolCallId": f"c{self.asked}"}
        words = {"toolCall": call, "options": options, **SESSION}
        say(id=number, method="session/request_permission", params=words)
        while True:
            said = self.hear(None)
            if said is not None and said.get("id") == number:
                outcome: str = said["result"]["outcome"]["outcome"]
                return outcome == "selected"

    def prompt(self) -> str:
        """Answer a prompt; the stop reason."""
        self.cancelled = False
        for text in ("One ", "two "):
            if self.stopped():
                return "cancelled"
            piece(text)
        if self.stopped():
            return "cancelled"
        call = f"c{self.asked + 1}"
        update("tool_call", toolCallId=call, title="Write", status="pending")
        if not self.permitted() or self.stopped():
            if FAULT != "leaves-the-call":
                update("tool_call_update", toolCallId=call, status="failed")
            return "cancelled"
        update("tool_call_update", toolCallId=call, status="completed")
        piece("three")
        return "end_turn"


def main() -> None:
    """Serve."""
    agent = Agent()
    while True:
        said = agent.hear(None)
        assert said is not None
        number, method = said.get("id"), said.get("method")
        if method == "initialize":
            say(id=number, result={"protocolVersion": 1, "agentCapabilities": {}})
        elif method == "session/new":
            say(id=number, result=SESSION)
        elif method == "session/prompt":
            reason = agent.prompt()
            finish(number, reason)


def finish(number: Any, reason: str) -> None:
    """Answer the prompt, in the way of the fault."""
    if reason == "cancelled" and FAULT == "error":
        say(id=number, error={"code": -32603, "message": "AbortError"})
    elif reason == "cancelled" and FAULT == "end-turn":
        say(id=number, result={"stopReason": "end_turn"})
    elif reason == "cancelled" and FAULT == "silent":
        time.sleep(60)
    elif reason == "cancelled" and FAULT == "prints":
        print("cancelled!", flush=True)
    else:
        say(id=number, result={"stopReason": reason})
        if reason == "cancelled" and FAULT == "late-update":
            piece("and more")


if __name__ == "__main__":
    main()
