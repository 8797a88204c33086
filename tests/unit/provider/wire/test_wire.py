"""Scripts as bytes: read back by the official clients, whose models reject what is malformed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx2
import openai
import pytest

from simharness.trace import (
    Call as Called,
    ChunkTaken,
    Message,
    RequestMade,
    StreamClosed,
    TerminalTaken,
    Text,
    assistant,
    tool_result,
    user,
)
from simharness.world.run import batch
from tests.unit.provider.wire.clients import Anthropic, Client, Responses, played

TALK = '["One ", "two.", {usage: {input: 7, output: 3}}]'
CALLS = (
    '["Look.", {call: {name: search, id: c1, pieces: [\'{"q": \', \'"x"}\']}},'
    ' {call: {name: read, id: c2, args: "{}"}}]'
)
KINDS: list[type[Client]] = [Client, Responses, Anthropic]


@pytest.fixture(autouse=True, scope="module")
def _one_batch() -> Iterator[None]:
    """Opening a batch takes longer than a trial."""
    with batch():
        yield


def chat_calls(events: list[Any]) -> dict[int, list[str]]:
    """Id, name and arguments of the calls in a chat stream."""
    found: dict[int, list[str]] = {}
    for event in events:
        for piece in (event.choices[0].delta.tool_calls or ()) if event.choices else ():
            known = found.setdefault(piece.index, [piece.id, piece.function.name, ""])
            known[2] += piece.function.arguments
    return found


def test_chat_text_is_read_back_with_its_finish_and_usage() -> None:
    """Each text is one chunk; usage comes in a chunk without choices."""
    client, done = played(Client, TALK)
    deltas = [event.choices[0].delta.content for event in client.events if event.choices]
    assert ["", "One ", "two.", None] == deltas
    assert "stop" == client.events[-1].choices[0].finish_reason
    assert [10] == [event.usage.total_tokens for event in client.events if event.usage]
    assert [("text", "One "), ("text", "two.")] == [
        (taken.kind, taken.text) for taken in done.trace.of(ChunkTaken)
    ]


def test_chat_calls_are_read_back_in_pieces() -> None:
    """Id and name come once, arguments as they were cut."""
    client, _ = played(Client, CALLS)
    expected = {0: ["c1", "search", '{"q": "x"}'], 1: ["c2", "read", "{}"]}
    assert expected == chat_calls(client.events)
    assert "tool_calls" == client.events[-1].choices[0].finish_reason


def test_the_responses_helper_accepts_text_and_calls() -> None:
    """It raises where an item is not begun, is done twice, or the response never completes."""
    client, _ = played(Responses, CALLS)
    assert client.error is None
    message, *calls = client.events[-1].output
    assert "Look." == message.content[0].text
    assert [("c1", '{"q": "x"}'), ("c2", "{}")] == [(c.call_id, c.arguments) for c in calls]
    numbers = [event.sequence_number for event in client.events[:-1]]
    assert sorted(set(numbers)) == numbers


def test_the_messages_helper_accepts_text_and_calls() -> None:
    """It raises where a block is not begun or the message is not."""
    client, _ = played(Anthropic, CALLS)
    assert client.error is None
    message = client.events[-1]
    assert ["text", "tool_use", "tool_use"] == [block.type for block in message.content]
    assert {"q": "x"} == message.content[1].input
    assert "tool_use" == message.stop_reason


def test_reasoning_is_read_back() -> None:
    """Each dialect has its own place for it."""
    script = "[{reasoning: hm}, {text: yes}]"
    chat, _ = played(Client, script)
    assert ["hm"] == [
        event.choices[0].delta.reasoning_content
        for event in chat.events
        if "reasoning_content" in event.choices[0].delta.model_extra
    ]
    responses, _ = played(Responses, script)
    assert "hm" == responses.events[-1].output[0].content[0].text
    messages, _ = played(Anthropic, script)
    assert "hm" == messages.events[-1].content[0].thinking


@pytest.mark.parametrize("kind", KINDS)
def test_a_plain_request_gets_the_whole_answer(kind: type[Client]) -> None:
    """Without streaming the same script is one JSON body."""
    client, done = played(kind, TALK, streaming=False)
    (answer,) = client.events
    assert "One two." in answer.to_json()
    assert [False] == [made.streaming for made in done.trace.of(RequestMade)]


# --- what goes wrong --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("error", "status", "wait"),
    [
        ("{error: {kind: rate_limit, retryable: true, retry_after: 2s}}", 429, "2"),
        ("{error: overloaded}", 500, None),
    ],
)
def test_an_error_before_the_answer_is_a_status(
    kind: type[Client], error: str, status: int, wait: str | None
) -> None:
    """And it says when to come back."""
    client, _ = played(kind, f"[{error}]")
    assert status == getattr(client.error, "status_code", None)
    response = client.error.response  # type: ignore[union-attr]
    assert wait == response.headers.get("retry-after")


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_in_mid_answer_is_an_event(kind: type[Client]) -> None:
    """The client raises it, after what came before."""
    client, done = played(kind, "[One, {error: broken}]")
    shown = "".join(str(event) for event in client.events) + str(client.error)
    assert "One" in shown
    assert "broken" in shown
    assert "error" == done.trace.of(TerminalTaken)[0].kind


@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_connection_is_one_for_the_client(kind: type[Client]) -> None:
    """In mid answer and before it."""
    before, _ = played(kind, "[{raise: gone}]")
    assert "Connection" in type(before.error).__name__
    within, _ = played(kind, "[One, {raise: gone}]")
    assert within.error is not None or within.events


def test_nothing_marks_a_body_that_ends_early() -> None:
    """A chat client sees a stream without a finish; the helpers of the others notice."""
    chat, _ = played(Client, "[One, close]")
    assert chat.error is None
    assert chat.events[-1].choices[0].finish_reason is None
    responses, _ = played(Responses, "[One, close]")
    assert responses.error is not None or responses.events[-1].type != "response.completed"


def test_a_chunk_that_is_no_json_reaches_the_client_as_it_is() -> None:
    """The client's decoder raises."""
    client, _ = played(Client, "[One, malformed, two]")
    assert isinstance(client.error, ValueError)


@pytest.mark.parametrize("kind", KINDS)
def test_a_keep_alive_is_passed_over(kind: type[Client]) -> None:
    """It is no event for the reader, and nothing breaks."""
    client, _ = played(kind, "[One, keepalive, two]")
    assert client.error is None
    assert "two" in "".join(str(event) for event in client.events)


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_that_was_read_is_closed(kind: type[Client]) -> None:
    """Whoever reads to the end hangs up in the end."""
    _, done = played(kind, TALK)
    assert 1 == len(done.trace.of(StreamClosed))


def test_a_path_that_no_provider_has_is_our_fault() -> None:
    """A client of another API must not look like a failing provider."""
    from simharness.verdict import HarnessError

    async def ask(self: Client) -> Any:
        await self.client.embeddings.create(model="m", input="x")
        yield None

    with pytest.raises(HarnessError, match="embeddings"):
        played(Client, TALK, ask=ask)


# --- what is posted ---------------------------------------------------------------------------

HISTORY = (
    Message("system", (Text("Be brief."),)),
    user("hi"),
    assistant("Look.", Called("c1", "search", '{"q": "x"}')),
    tool_result("c1", "3 hits"),
    user("more"),
)
POSTED: dict[type[Client], dict[str, Any]] = {
    Client: {
        "posted": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {
                "role": "assistant",
                "content": "Look.",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "search", "arguments": '{"q": "x"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "3 hits"},
            {"role": "user", "content": "more"},
        ]
    },
    Responses: {
        "posted": [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "Look."}],
            },
            {
                "type": "function_call",
                "call_id": "c1",
                "name": "search",
                "arguments": '{"q": "x"}',
            },
            {"type": "function_call_output", "call_id": "c1", "output": "3 hits"},
            {"role": "user", "content": "more"},
        ]
    },
    Anthropic: {
        "posted": [
            {"role": "user", "content": "hi"},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Look."},
                    {"type": "tool_use", "id": "c1", "name": "search", "input": {"q": "x"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "3 hits"},
                    {"type": "text", "text": "more"},
                ],
            },
        ]
    },
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_client_posts_is_the_witnessed_history(kind: type[Client]) -> None:
    """In each dialect the same five messages (the helper call takes no system prompt here)."""
    _, done = played(kind, TALK, **POSTED[kind])
    (made,) = done.trace.of(RequestMade)
    expected = HISTORY[1:] if kind is Anthropic else HISTORY
    assert expected == made.messages


# --- cancels ----------------------------------------------------------------------------------


def test_a_reaction_that_a_wire_cannot_carry_is_not_applicable() -> None:
    """A provider that is hung up on reports nothing."""
    from simharness.agent import NotApplicable

    with pytest.raises(NotApplicable, match="over a wire"):
        played(Client, "{stream: [One], on_cancel: aborted}")
    with pytest.raises(NotApplicable, match="no provider says aborted"):
        played(Client, "[One, {abort: user}]")
    with pytest.raises(NotApplicable, match="no provider can make its client raise ValueError"):
        played(Client, "[One, {raise: {as: ValueError}}]")
    with pytest.raises(NotApplicable, match="no word for finish: incomplete"):
        played(Client, "[One, {finish: incomplete}]")
    with pytest.raises(NotApplicable, match="no answer without its start"):
        played(Anthropic, "{stream: [One], start: false}")


TWICE = "[{call: {name: search, index: 0}}, {call: {name: search, index: 0}}]"


@pytest.mark.parametrize("script", ["[One, malformed]", "[{args: x}, {call: search}]", TWICE])
def test_what_no_whole_answer_can_hold_is_not_applicable_to_a_plain_request(script: str) -> None:
    """So the streamed half of a pair is not compared with something else."""
    from simharness.agent import NotApplicable

    with pytest.raises(NotApplicable, match="a whole answer has no"):
        played(Client, script, streaming=False)


def test_hanging_up_is_how_a_stream_is_told() -> None:
    """A client that leaves its stream closes the response."""
    from simharness.trace import StreamTold

    async def ask(self: Client) -> Any:
        answer = await self.client.chat.completions.create(
            model="m", messages=self.posted, stream=True
        )
        async for event in answer:
            yield event
            break
        await answer.close()

    client, done = played(Client, "{stream: [One, two], on_cancel: close}", ask=ask)
    assert 1 == len(client.events)
    assert ["aclose()"] == [told.how for told in done.trace.of(StreamTold)]
    assert any("on_cancel" in key for key in done.played)


def test_who_reads_a_response_that_another_task_closes_gets_an_error() -> None:
    """As from a real connection (httpx2 over a local server): a ReadError, and no endless wait."""

    async def ask(self: Client) -> Any:
        answer = await self.client.chat.completions.create(
            model="m", messages=self.posted, stream=True
        )
        events = aiter(answer)
        yield await anext(events)
        yield await anext(events)
        reader = asyncio.ensure_future(anext(events))
        await asyncio.sleep(1)
        await answer.close()
        ended: tuple[Any, ...] = await asyncio.gather(reader, return_exceptions=True)
        yield ended[0]

    client, _ = played(Client, "[One, hang]", ask=ask)
    assert isinstance(client.events[-1], openai.APIConnectionError)
    assert isinstance(client.events[-1].__cause__, httpx2.ReadError)


def test_the_error_classes_are_those_of_the_client() -> None:
    """So an agent's own handling of them is what is tested."""
    client, _ = played(Client, "[{error: {kind: rate_limit}}]")
    assert isinstance(client.error, openai.RateLimitError)


# --- faults of the wire alone -----------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_frames_may_be_cut_anywhere(kind: type[Client], size: int) -> None:
    """A client puts the pieces together; the answer is the same."""
    whole, _ = played(kind, CALLS)
    cut, _ = played(kind, f"{{stream: {CALLS}, wire: {{split: {size}}}}}")
    assert [str(event) for event in whole.events] == [str(event) for event in cut.events]


def test_the_mark_of_completeness_may_be_missing() -> None:
    """A chat client does not notice: the finish reason was there."""
    client, _ = played(Client, f"{{stream: {TALK}, wire: {{done: false}}}}")
    assert client.error is None
    assert "stop" in [e.choices[0].finish_reason for e in client.events if e.choices]


@pytest.mark.parametrize("kind", KINDS)
def test_half_a_frame_is_no_chunk(kind: type[Client]) -> None:
    """What came before it is read, the cut chunk is not."""
    client, done = played(kind, "{stream: [One, two, close], wire: {truncate: true}}")
    shown = "".join(str(event) for event in client.events)
    assert "One" in shown
    assert "two" not in shown
    assert ["One", "two"] == [taken.text for taken in done.trace.of(ChunkTaken)]


def test_an_agent_without_a_wire_has_no_faults_of_one() -> None:
    """The case is not applicable there."""
    from simharness.agent import NotApplicable

    with pytest.raises(NotApplicable, match="no wire"):
        played(Client, "{stream: [One], wire: {split: 1}}", seam="stream")
