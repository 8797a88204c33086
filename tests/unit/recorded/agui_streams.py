"""Streams that AG-UI consumers are held to by the public conformance corpus, in our own words.

Each is named after the behaviour that the corpus pins, with its verdict there. The events are ours:
written from the behaviour, not copied.
"""

from __future__ import annotations

from typing import Any

Event = dict[str, Any]

START: Event = {"type": "RUN_STARTED", "threadId": "talk", "runId": "one"}
AGAIN: Event = {"type": "RUN_STARTED", "threadId": "talk", "runId": "two"}
END: Event = {"type": "RUN_FINISHED", "threadId": "talk", "runId": "one"}
ENDED: Event = {"type": "RUN_FINISHED", "threadId": "talk", "runId": "two"}
ERROR: Event = {"type": "RUN_ERROR", "message": "out of paper"}


def on(kind: str, **fields: Any) -> Event:
    """One event."""
    return {"type": kind, **fields}


def text(name: str = "a", *parts: str, **more: Any) -> list[Event]:
    """A whole text message."""
    contents = [
        on("TEXT_MESSAGE_CONTENT", messageId=name, delta=part) for part in parts or ("word",)
    ]
    start = on("TEXT_MESSAGE_START", messageId=name, role="assistant", **more)
    return [start, *contents, on("TEXT_MESSAGE_END", messageId=name)]


def call(name: str = "k", **more: Any) -> list[Event]:
    """A whole tool call."""
    return [
        on("TOOL_CALL_START", toolCallId=name, toolCallName="weigh", **more),
        on("TOOL_CALL_ARGS", toolCallId=name, delta='{"kg": 2}'),
        on("TOOL_CALL_END", toolCallId=name),
    ]


def finished(**fields: Any) -> Event:
    """An end of the first run with more to say."""
    return END | fields


def run(*events: Event | list[Event]) -> list[Event]:
    """A run around these events."""
    flat = [one for part in events for one in (part if isinstance(part, list) else [part])]
    return [START, *flat, END]


SNAPSHOT = on("STATE_SNAPSHOT", snapshot={"n": 1})
PATCH = [{"op": "replace", "path": "/n", "value": 2}]

COMPLETED: dict[str, list[Event]] = {
    "activity delta for a message nobody made": run(
        on("ACTIVITY_DELTA", messageId="ghost", activityType="plan", patch=PATCH)
    ),
    "activity snapshot that does not replace": run(
        on("ACTIVITY_SNAPSHOT", messageId="p", activityType="plan", content={"n": 1}),
        on("ACTIVITY_SNAPSHOT", messageId="p", activityType="plan", content={}, replace=False),
    ),
    "activity snapshot, then a delta": run(
        on("ACTIVITY_SNAPSHOT", messageId="p", activityType="plan", content={"n": 1}),
        on("ACTIVITY_DELTA", messageId="p", activityType="plan", patch=PATCH),
    ),
    "chunks become messages and calls": run(
        on("TEXT_MESSAGE_CHUNK", messageId="a", delta="One "),
        on("TEXT_MESSAGE_CHUNK", delta="two."),
        on("TOOL_CALL_CHUNK", toolCallId="k", toolCallName="weigh", delta="{}"),
        on("TEXT_MESSAGE_CHUNK", messageId="b", delta="Three."),
    ),
    "a chunk may repeat what its first one said": run(
        on("TOOL_CALL_CHUNK", toolCallId="k", toolCallName="weigh", parentMessageId="a", delta="{"),
        on("TOOL_CALL_CHUNK", toolCallId="k", toolCallName="weigh", parentMessageId="a", delta="}"),
    ),
    "a sound run is quiet": run(
        on("STEP_STARTED", stepName="think"),
        text(),
        SNAPSHOT,
        on("STEP_FINISHED", stepName="think"),
    ),
    "an encrypted value of something unknown": run(
        text(),
        on("REASONING_ENCRYPTED_VALUE", subtype="message", entityId="ghost", encryptedValue="eA=="),
    ),
    "retired thinking events": run(
        on("THINKING_START", title="Hm"),
        on("THINKING_TEXT_MESSAGE_START"),
        on("THINKING_TEXT_MESSAGE_CONTENT", delta="let me see"),
        on("THINKING_TEXT_MESSAGE_END"),
        on("THINKING_END"),
        text(),
    ),
    "a subagent's whole life": run(
        on("SUBAGENT_STARTED", subagentRunId="s", name="scout"),
        text("a", "seen", subagentRunId="s"),
        on("SUBAGENT_FINISHED", subagentRunId="s"),
    ),
    "an older peer's plain answer": run(text("a", "a cat")),
    "a late failure after the end": [START, *text(), END, ERROR],
    "a messages snapshot": run(
        text(),
        on("MESSAGES_SNAPSHOT", messages=[{"id": "a", "role": "assistant", "content": "other"}]),
    ),
    "metadata on every event of a message": run(
        on("TEXT_MESSAGE_START", messageId="a", metadata={"x": 1}),
        on("TEXT_MESSAGE_CONTENT", messageId="a", delta="w", metadata={"x": 2}),
        on("TEXT_MESSAGE_END", messageId="a", metadata={"y": [None]}),
    ),
    "open metadata": run(text(metadata={"vendor": {"deep": [1, None]}})),
    "a patch operation with more than it needs": run(
        SNAPSHOT, on("STATE_DELTA", delta=[{"op": "remove", "path": "/n", "value": 1}])
    ),
    "a producer of a newer version": [START | {"protocolVersion": "9.4"}, *text(), END],
    "a producer of this version": [START | {"protocolVersion": "1.1"}, *text(), END],
    "a version nobody can read": [START | {"protocolVersion": "soon"}, *text(), END],
    "raw and custom events pass": run(
        on("RAW", event={"any": "thing"}), on("CUSTOM", name="mine", value=None)
    ),
    "raw does not close a chunk stream": run(
        on("TEXT_MESSAGE_CHUNK", messageId="a", delta="One "),
        on("RAW", event=1),
        on("TEXT_MESSAGE_CHUNK", delta="two."),
    ),
    "a reasoning span with a message": run(
        on("REASONING_START", messageId="r"),
        on("REASONING_MESSAGE_START", messageId="r", role="reasoning"),
        on("REASONING_MESSAGE_CONTENT", messageId="r", delta="hm"),
        on("REASONING_MESSAGE_END", messageId="r"),
        on("REASONING_END", messageId="r"),
        text(),
    ),
    "a closed message goes on": run(text("a", "first"), text("a", "second")),
    "an error before any run, then a run": [ERROR, START, *text(), END],
    "an error, then another run": [START, ERROR, AGAIN, *text(), ENDED],
    "an end as cancelled": [START, *text(), finished(outcome={"type": "cancelled"})],
    "an end with an interrupt": [
        START,
        *text(),
        finished(outcome={"type": "interrupt", "interrupts": [{"id": "i", "reason": "ask"}]}),
    ],
    "a state delta": run(SNAPSHOT, on("STATE_DELTA", delta=PATCH)),
    "a state delta that fits nothing": run(
        on("STATE_DELTA", delta=[{"op": "remove", "path": "/nowhere"}])
    ),
    "a state delta with an unknown operation": run(
        SNAPSHOT, on("STATE_DELTA", delta=[{"op": "double", "path": "/n"}, *PATCH])
    ),
    "a state of false": run(on("STATE_SNAPSHOT", snapshot=False)),
    "a state of null": run(on("STATE_SNAPSHOT", snapshot=None)),
    "a state that replaces another": run(SNAPSHOT, on("STATE_SNAPSHOT", snapshot={"m": 3})),
    "a subagent's end closes its chunks": run(
        on("SUBAGENT_STARTED", subagentRunId="s", name="scout"),
        on("TEXT_MESSAGE_CHUNK", messageId="a", delta="half ", subagentRunId="s"),
        on("TEXT_MESSAGE_CHUNK", delta="whole", subagentRunId="s"),
        on("SUBAGENT_FINISHED", subagentRunId="s"),
    ),
    "work of a subagent nobody announced": run(
        on("TEXT_MESSAGE_START", messageId="a", subagentRunId="s"),
        on("TEXT_MESSAGE_CONTENT", messageId="a", delta="x"),
        on("TEXT_MESSAGE_END", messageId="a", subagentRunId="s"),
    ),
    "metadata on a tool call": run(call(metadata={"try": 1})),
    "a tool call in three events": run(text(), call(parentMessageId="a")),
    "a tool result of several parts": run(
        call(),
        on(
            "TOOL_CALL_RESULT",
            messageId="t",
            toolCallId="k",
            content=[{"type": "text", "text": "2 kg"}, {"type": "image", "source": {}}],
        ),
        text("b"),
    ),
    "a text in three events": run(text("a", "One ", "two.")),
    "two runs, one after the other": [START, *text(), END, AGAIN, *text("b"), ENDED],
    "an event of a type nobody knows": run(on("HOLOGRAM", beam=1), text()),
    "an outcome nobody knows": [START, finished(outcome={"type": "snoozed"})],
    "an unknown part within a message": run(
        on("MESSAGES_SNAPSHOT", messages=[{"id": "u", "role": "user", "content": [{"type": "?"}]}])
    ),
    "a field nobody knows": run(text("a", "x", sparkle=True)),
}
"""Streams that a consumer completes."""

FAILED: dict[str, list[Event]] = {
    "a chunk with another role": run(
        on("TEXT_MESSAGE_CHUNK", messageId="a", role="user", delta="x"),
        on("TEXT_MESSAGE_CHUNK", messageId="a", role="assistant", delta="y"),
    ),
    "a chunk with another tool": run(
        on("TOOL_CALL_CHUNK", toolCallId="k", toolCallName="weigh", delta="{"),
        on("TOOL_CALL_CHUNK", toolCallId="k", toolCallName="count", delta="}"),
    ),
    "a content without a start": run(on("TEXT_MESSAGE_CONTENT", messageId="a", delta="x")),
    "custom closes a chunk stream": run(
        on("TEXT_MESSAGE_CHUNK", messageId="a", delta="x"),
        on("CUSTOM", name="mine", value=1),
        on("TEXT_MESSAGE_CHUNK", delta="y"),
    ),
    "an event after the end": [START, END, *text()],
    "a first chunk without a name": run(on("TEXT_MESSAGE_CHUNK", delta="x")),
    "a first event that starts no run": [*text(), END],
    "a first chunk of a call without its tool": run(
        on("TOOL_CALL_CHUNK", toolCallId="k", delta="{}")
    ),
    "a delta that is a number": run(
        on("TEXT_MESSAGE_START", messageId="a"),
        on("TEXT_MESSAGE_CONTENT", messageId="a", delta=7),
        on("TEXT_MESSAGE_END", messageId="a"),
    ),
    "a run within a run": [START, AGAIN, ENDED],
    "a message open at the end": run(on("TEXT_MESSAGE_START", messageId="a")),
    "a thought without a start": run(
        on("REASONING_MESSAGE_CONTENT", messageId="r", delta="hm"), text()
    ),
    "a thought by the assistant": run(
        on("REASONING_MESSAGE_START", messageId="r", role="assistant"),
        on("REASONING_MESSAGE_END", messageId="r"),
    ),
    "a subagent active at the end": run(on("SUBAGENT_STARTED", subagentRunId="s", name="scout")),
    "a step that was never started": run(on("STEP_FINISHED", stepName="think")),
    "a continuation of another subagent": run(
        on("TEXT_MESSAGE_START", messageId="a", subagentRunId="s"),
        on("TEXT_MESSAGE_END", messageId="a", subagentRunId="z"),
    ),
    "an end of a subagent never started": run(on("SUBAGENT_FINISHED", subagentRunId="s")),
    "a subagent without a name": run(
        on("SUBAGENT_STARTED", subagentRunId="s"), on("SUBAGENT_FINISHED", subagentRunId="s")
    ),
    "a role nobody knows": run(
        on("TEXT_MESSAGE_START", messageId="a", role="oracle"),
        on("TEXT_MESSAGE_END", messageId="a"),
    ),
    "an outcome that is a list": [START, finished(outcome=[{"type": "interrupt"}])],
    "a stream that merely stops (draft)": [START, *text()],
    "two interrupts with one id (draft)": [
        START,
        finished(outcome={"type": "interrupt", "interrupts": [{"id": "i"}, {"id": "i"}]}),
    ],
    "an end of another run (draft)": [START, ENDED],
    "an end on another thread (draft)": [START, finished(threadId="elsewhere")],
}
"""Streams that a consumer refuses."""
