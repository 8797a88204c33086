"""A client of the Agent Client Protocol for any agent over stdio: prompt, cancel, record, judge.

The agent has its own model and lives in real time, so nothing is simulated: a conversation is what
it happens to be. What can be placed is the cancel, behind the k-th update or while a permission is
asked for; what can be judged are the protocol's own rules (`simharness.recorded`). Both directions
are recorded as they were seen here.

`python -m simharness.bridges.acp --help` drives an agent from the command line.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any, Literal

import attrs

from simharness.recorded.acp import ACP
from simharness.recorded.checking import check
from simharness.world.childprocess import ChildFault, ChildLimits, ChildProcess

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.recorded.checking import Checked

__all__ = ["Conversation", "Plan", "converse", "judge"]

_NOT_FOUND = -32601
_AT_ONCE = 0
_CROSSES_S = 0.5
"""Real seconds in which an answer may cross a cancel: what it says is then not held against it."""
_LINGER_S = 0.3
Said = dict[str, Any]


@attrs.frozen
class Plan:
    """What the user does.

    `cancel_at`: cancel behind so many updates of the first prompt, 0 at once; None: no cancel.
    `permission`: how requests for one are answered; `hold` lets the first one wait and cancels.
    `again`: a second prompt, which no earlier cancel may touch.
    """

    prompt: str = "Hello"
    cancel_at: int | None = None
    permission: Literal["allow", "reject", "hold"] = "allow"
    again: str | None = "And again"
    cwd: str = "/"


@attrs.frozen
class Conversation:
    """All messages of both sides in order, the updates of the first prompt, and what ended it.

    `crossed`: the first prompt was answered so soon after the cancel that the two may have crossed.
    `fault` is empty, or names what the agent did to the connection: `child-exit: exit code 1`.
    """

    messages: tuple[Said, ...]
    updates: int
    cancelled: bool
    crossed: bool = False
    fault: str = ""

    @property
    def text(self) -> str:
        """The recording, as `simharness check --format acp` reads it."""
        return "".join(json.dumps(one) + "\n" for one in self.messages)


def converse(command: Sequence[str], plan: Plan, limits: ChildLimits | None = None) -> Conversation:
    """Hold one conversation with a fresh agent. Raises OSError if there is no such program."""
    limits = limits or ChildLimits()
    process = ChildProcess(command, limits=limits)
    client = _Client(process, plan, limits)
    fault = ""
    try:
        client.converse()
    except ChildFault as found:
        fault = str(found)
    finally:
        process.end()
    messages = tuple(client.messages)
    return Conversation(messages, client.updates, client.cancelled, client.crossed, fault)


def judge(conversation: Conversation) -> Checked:
    """The rules of the protocol over a conversation."""
    recording = io.BytesIO(conversation.text.encode())
    return check(recording, "<conversation>", ACP)


class _Client:
    """The client's side of one connection."""

    def __init__(self, process: ChildProcess, plan: Plan, limits: ChildLimits) -> None:
        self._process = process
        self._plan = plan
        self._limits = limits
        self._asked = 0
        self._session = ""
        self._waiting: list[Any] = []  # ids of permissions that nobody has decided on
        self._first = True
        self.messages: list[Said] = []
        self.updates = 0
        self.cancelled = False
        self.crossed = False
        self._knows_s = 0.0  # from when on the agent must have known of the cancel

    def converse(self) -> None:
        """Introduce ourselves, open a session, prompt, and prompt again."""
        capabilities = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
        self._ask("initialize", {"protocolVersion": 1, "clientCapabilities": capabilities})
        opened = self._ask("session/new", {"cwd": self._plan.cwd, "mcpServers": []})
        self._session = str((opened.get("result") or {}).get("sessionId", ""))
        self._prompt(self._plan.prompt)
        if self.cancelled:
            self.crossed = self._process.now() < self._knows_s
            self._linger()
        self._first = False
        if self._plan.again is not None:
            self._prompt(self._plan.again)

    def _prompt(self, text: str) -> None:
        words = {"sessionId": self._session, "prompt": [{"type": "text", "text": text}]}
        self._ask("session/prompt", words)

    def _linger(self) -> None:
        """Hear what comes late, before the next prompt makes it a part of that."""
        self._process.allow(_LINGER_S)
        try:
            while True:
                self._serve(self._hear())
        except ChildFault as fault:
            if fault.limit != "child-silence":
                raise

    def _ask(self, method: str, params: Said) -> Said:
        """Ask the agent and do what it wants meanwhile, until it has answered."""
        self._asked += 1
        starting = method == "initialize"
        self._process.allow(self._limits.start_s if starting else self._limits.answer_s)
        self._say({"id": self._asked, "method": method, "params": params})
        if method == "session/prompt" and self._plan.cancel_at == _AT_ONCE:
            self._cancel()
        for _ in range(self._limits.messages):
            said = self._hear()
            if "method" in said:
                self._serve(said)
            elif said.get("id") == self._asked:
                return said
        raise ChildFault("child-flood", f"{self._limits.messages} messages without an answer")

    def _serve(self, said: Said) -> None:
        """Take a notification, or answer a request of the agent."""
        if "method" not in said:
            return  # a response to nothing: for the rules to judge
        if said["method"] == "session/update":
            self.updates += self._first
            if self._first and self.updates == self._plan.cancel_at:
                self._cancel()
        elif said["method"] == "session/request_permission" and "id" in said:
            self._permission(said)
        elif "id" in said:
            error = {"code": _NOT_FOUND, "message": "this client offers no such method"}
            self._say({"id": said["id"], "error": error})

    def _permission(self, said: Said) -> None:
        if self.cancelled and self._first:
            self._decide(said["id"], {"outcome": "cancelled"})
        elif self._plan.permission == "hold" and self._first:
            self._waiting.append(said["id"])
            self._cancel()
        else:
            wanted = "reject" if self._plan.permission == "reject" else "allow"
            options = (said.get("params") or {}).get("options") or []
            kinds = {str(one.get("kind", "")): one.get("optionId") for one in options}
            chosen = next((it for kind, it in kinds.items() if kind.startswith(wanted)), None)
            self._decide(said["id"], {"outcome": "selected", "optionId": chosen})

    def _decide(self, number: Any, outcome: Said) -> None:
        self._say({"id": number, "result": {"outcome": outcome}})

    def _cancel(self) -> None:
        """Cancel the first prompt; what waits for the user is answered, as the protocol demands."""
        if self.cancelled:
            return
        self.cancelled = True
        self._knows_s = self._process.now() + _CROSSES_S
        self._say({"method": "session/cancel", "params": {"sessionId": self._session}})
        for number in self._waiting:
            self._knows_s = 0.0  # whoever waits for the user hears of it with the answer
            self._decide(number, {"outcome": "cancelled"})
        self._waiting.clear()

    def _say(self, message: Said) -> None:
        said = {"jsonrpc": "2.0", **message}
        self.messages.append(said)
        self._process.send(json.dumps(said).encode())

    def _hear(self) -> Said:
        """The next message of the agent. Raises ChildFault for what is none."""
        line = self._process.receive()
        place = f"message {len(self.messages) + 1}"
        try:
            said = json.loads(line.decode())
        except (ValueError, RecursionError) as error:
            raise ChildFault("child-garbage", f"{place}: not JSON ({error})") from None
        if not isinstance(said, dict):
            found = type(said).__name__
            raise ChildFault("child-garbage", f"{place}: found {found}, expected an object")
        self.messages.append(said)
        return said
