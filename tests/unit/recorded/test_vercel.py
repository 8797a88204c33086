"""The Vercel UI stream: endings, steps and calls of other streams."""

import pytest

from tests.unit.recorded.agui_streams import Event, on
from tests.unit.recorded.recordings import broken, checked, texts

START, STEP, STEPPED = on("start"), on("start-step"), on("finish-step")
TEXT = [on("text-start", id="1"), on("text-delta", id="1", delta="x"), on("text-end", id="1")]
CALLED = on("tool-input-available", toolCallId="c", toolName="f", input={})
RESULT = on("tool-output-available", toolCallId="c", output=1)
FINISH, ABORT, ERROR = on("finish"), on("abort", reason="stop"), on("error", errorText="no")
MARK = '{"simharness": "cancel"}'

KEPT: dict[str, list[Event | str]] = {
    "two steps with a tool": [
        START, STEP, *TEXT, CALLED, RESULT, STEPPED, STEP, *TEXT, STEPPED, FINISH, "[DONE]",
    ],
    "an abort with a text open": [START, STEP, TEXT[0], TEXT[1], MARK, ABORT, "[DONE]"],
    "an error, then finish": [START, STEP, ERROR, STEPPED, FINISH, "[DONE]"],
    "an error, then nothing": [START, STEP, *TEXT, ERROR, "[DONE]"],
    "a result of a call of the stream before": [
        START, STEP, CALLED, STEPPED, FINISH, "[DONE]", START, RESULT, STEP, *TEXT, STEPPED, FINISH,
    ],
    "a result of a call from before the trace": [START, RESULT, STEP, *TEXT, STEPPED, FINISH],
    "data, files, sources": [
        START, on("data-weather", data=1), on("file", url="u", mediaType="m"),
        on("source-url", sourceId="s", url="u"), on("message-metadata", messageMetadata={}), FINISH,
    ],
    "a step without text": [START, STEP, STEPPED, FINISH],
}  # fmt: skip

BROKEN: dict[str, tuple[str, list[Event | str]]] = {
    "a finish behind an abort": ("vercel-after-end", [START, STEP, ABORT, FINISH]),
    "two finishes (universal)": ("one-terminal", [START, *TEXT, FINISH, FINISH]),
    "text behind the end (universal)": ("no-event-after-terminal", [START, FINISH, *TEXT]),
    "a cancel that ends as finished (universal)": (
        "terminal-kind", [START, MARK, *TEXT, FINISH]),
    "a cancel that ends as an error": ("vercel-cancel-aborts", [START, MARK, *TEXT, ERROR]),
    "a body that stops before the next": ("vercel-ends", [START, *TEXT, START, *TEXT, FINISH]),
    "a body that [DONE] ends": ("vercel-ends", [START, *TEXT, "[DONE]"]),
    "a text that ends twice": ("vercel-text", [START, *TEXT, TEXT[2], FINISH]),
    "no type": ("vercel-part-shape", [START, {"x": 1}, FINISH]),
    "a text that starts twice": ("vercel-text", [START, TEXT[0], TEXT[0], TEXT[2], FINISH]),
    "an output of no call": ("vercel-tool-output", [START, STEP, *TEXT, RESULT, FINISH]),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_what_keeps_every_rule(name: str) -> None:
    """Universal rules included."""
    assert [] == texts(checked("vercel", *KEPT[name]))


@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_a_rule(name: str) -> None:
    """The named one."""
    rule, parts = BROKEN[name]
    assert rule in broken(checked("vercel", *parts))


def test_an_end_that_may_have_crossed_the_cancel() -> None:
    """As everywhere."""
    closing: list[Event | str] = [START, STEP, *TEXT[:2], MARK, TEXT[2], STEPPED, FINISH]
    assert set() == broken(checked("vercel", *closing, at_client=True))
    assert broken(checked("vercel", START, *TEXT, MARK, *TEXT, FINISH, at_client=True))
