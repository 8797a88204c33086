"""The fields of AG-UI events, as far as the checker reads them or a client refuses them."""

from __future__ import annotations

from typing import Any, Final

from simharness.recorded.reading import quoted
from simharness.recorded.shape import Shape, fault, shape

__all__ = ["event_fault", "known"]

_MESSAGE: Final = shape("messageId:text")
_DELTA: Final = shape("messageId:text", "delta:text")

_SHAPES: Final[dict[str, Shape]] = {
    "RUN_STARTED": shape("threadId:text", "runId:text", "parentRunId?:text", "input?:object"),
    "RUN_FINISHED": shape("threadId:text", "runId:text", "outcome?:object", "usage?:list"),
    "RUN_ERROR": shape("message:text", "code?:text", "usage?:list"),
    "STEP_STARTED": shape("stepName:text"),
    "STEP_FINISHED": shape("stepName:text"),
    "TEXT_MESSAGE_START": shape("messageId:text", "role?:text"),
    "TEXT_MESSAGE_CONTENT": _DELTA,
    "TEXT_MESSAGE_END": _MESSAGE,
    "TEXT_MESSAGE_CHUNK": shape("messageId?:text", "role?:text", "delta?:text"),
    "TOOL_CALL_START": shape("toolCallId:text", "toolCallName:text", "parentMessageId?:text"),
    "TOOL_CALL_ARGS": shape("toolCallId:text", "delta:text"),
    "TOOL_CALL_END": shape("toolCallId:text"),
    "TOOL_CALL_CHUNK": shape("toolCallId?:text", "toolCallName?:text", "delta?:text"),
    "TOOL_CALL_RESULT": shape("messageId:text", "toolCallId:text", "content:content", "role?:text"),
    "STATE_SNAPSHOT": shape("snapshot:any"),
    "STATE_DELTA": shape("delta:list"),
    "MESSAGES_SNAPSHOT": shape("messages:list"),
    "ACTIVITY_SNAPSHOT": shape("messageId:text", "activityType:text", "content:any"),
    "ACTIVITY_DELTA": shape("messageId:text", "activityType:text", "patch:list"),
    "REASONING_START": _MESSAGE,
    "REASONING_END": _MESSAGE,
    "REASONING_MESSAGE_START": shape("messageId:text", "role:text"),
    "REASONING_MESSAGE_CONTENT": _DELTA,
    "REASONING_MESSAGE_END": _MESSAGE,
    "REASONING_MESSAGE_CHUNK": shape("messageId?:text", "delta?:text"),
    "REASONING_ENCRYPTED_VALUE": shape("entityId:text", "encryptedValue:text"),
    "SUBAGENT_STARTED": (),  # its fields are the business of a rule of its own
    "SUBAGENT_FINISHED": (),
    "SUBAGENT_ERROR": (),
    "RAW": (),
    "CUSTOM": shape("name:text"),
}

_TEXT_ROLES: Final = frozenset({"developer", "system", "assistant", "user"})
_ROLES: Final = {
    "TEXT_MESSAGE_START": _TEXT_ROLES,
    "TEXT_MESSAGE_CHUNK": _TEXT_ROLES,
    "REASONING_MESSAGE_START": frozenset({"reasoning"}),
    "TOOL_CALL_RESULT": frozenset({"tool"}),
}


def known(kind: str) -> bool:
    """Whether AG-UI has events of this type."""
    return kind in _SHAPES


def event_fault(event: dict[str, Any]) -> str:
    """Say what is wrong with an event of a known type; "" if nothing is."""
    kind = event["type"]
    found = fault(event, _SHAPES[kind])
    if not found and kind in _ROLES:
        role = event.get("role")
        if role is not None and role not in _ROLES[kind]:
            return f"cannot have the role {quoted(role)}"
    return found
