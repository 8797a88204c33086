"""What an ACP line is: a request, notification or response, and which side has sent it.

A recorder may put each message into `{"from": "client", "message": {...}}`. Without that the side
follows from the method, and for a response from the request that waits for it.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import attrs

from simharness.recorded.reading import quoted
from simharness.recorded.shape import Shape, fault, shape

__all__ = ["ID_KINDS", "Line", "read_line"]

Side = Literal["client", "agent"]

ID_KINDS: Final = (str, int)
"""What a JSON-RPC id may be; true and false are no ids, though Python counts them as whole."""

_SESSION: Final = shape("sessionId:text")
_PARAMS: Final[dict[str, Shape]] = {
    "session/prompt": _SESSION,
    "session/cancel": _SESSION,
    "session/load": _SESSION,
    "session/resume": _SESSION,
    "session/update": shape("sessionId:text", "update:object"),
    "session/request_permission": _SESSION,
    "$/cancel_request": shape("requestId:any"),
}
_OF_AGENT: Final = ("session/update", "session/request_permission", "fs/", "terminal/")
_OF_CLIENT: Final = ("initialize", "authenticate", "logout", "session/")


@attrs.frozen
class Line:
    """One message. `kind` is request, notice or answer; `side` None: it does not say."""

    kind: str
    side: Side | None
    method: str = ""
    id: object = None
    params: dict[str, Any] = attrs.field(factory=dict)
    result: Any = None
    error: dict[str, Any] | None = None

    @property
    def session(self) -> str:
        """The session it is about, "" if none."""
        found = self.params.get("sessionId")
        return found if isinstance(found, str) else ""


def read_line(value: dict[str, Any]) -> Line | str:
    """Read a message; a text says what is wrong with it."""
    side: Side | None = None
    if "message" in value and "jsonrpc" not in value:
        side, value = value.get("from"), value["message"]
        if side not in ("client", "agent"):  # a tuple: it may be anything, a list too
            return f'An envelope says "from": "client" or "agent", not {quoted(side)}.'
        if not isinstance(value, dict):
            return f"An envelope holds a message, not {quoted(value)}."
    if value.get("jsonrpc") != "2.0":
        return 'A message has "jsonrpc": "2.0".'
    if "method" in value:
        return _call(value, side)
    if ("result" in value) == ("error" in value):
        return "A message has a method, a result or an error, and only one of them."
    if value.get("id") is None and "error" in value:
        return Line("notice", side)  # a message could not even be read: whose, nobody knows
    if not _is_id(value.get("id")):
        return f"A response has the id {quoted(value.get('id'))}."
    error = value.get("error")
    if "error" in value and not (isinstance(error, dict) and type(error.get("code")) is int):
        return "An error is an object with a whole number as its code."
    return Line("answer", side, id=value["id"], result=value.get("result"), error=error)


def _is_id(found: object) -> bool:
    return isinstance(found, ID_KINDS) and not isinstance(found, bool)


def _call(value: dict[str, Any], side: Side | None) -> Line | str:
    method, params = value["method"], value.get("params", {})
    if not isinstance(method, str):
        return f"A method is a text, not {quoted(method)}."
    if method not in _PARAMS and not isinstance(params, dict):
        params = {}  # nothing that is judged here
    if not isinstance(params, dict):
        return f"The parameters of {method} are an object, not {quoted(params)}."
    wrong = fault(params, _PARAMS.get(method, ()))
    if wrong:
        return f"{method} {wrong}."
    if "id" in value and not _is_id(value["id"]):
        return f"A request has the id {quoted(value['id'])}."
    if side is None:
        side = _side_of(method)
    kind = "request" if "id" in value else "notice"
    return Line(kind, side, method, value.get("id"), params)


def _side_of(method: str) -> Side | None:
    if method.startswith(_OF_AGENT):
        return "agent"
    return "client" if method.startswith(_OF_CLIENT) else None
