"""The block assembler: every spelling of a message gives the same message."""

from __future__ import annotations

from hypothesis import given, settings, strategies as st

from simharness.agent import (
    Aborted,
    BlockEnd,
    BlockStart,
    CallDelta,
    Chunk,
    Finish,
    KeepAlive,
    Malformed,
    OpaqueDelta,
    ReasoningDelta,
    StreamStart,
    TextDelta,
    UsageReport,
)
from simharness.agents.reference.assembler import Assembler
from simharness.trace import Block, Call, Message, Opaque, Reasoning, Text

Delta = type[TextDelta] | type[ReasoningDelta] | type[OpaqueDelta]
DELTAS: dict[type[Block], Delta] = {
    Text: TextDelta,
    Reasoning: ReasoningDelta,
    Opaque: OpaqueDelta,
}
KINDS = {Text: "text", Reasoning: "reasoning", Opaque: "opaque", Call: "call"}
NOISE: list[Chunk] = [StreamStart(), KeepAlive(), Malformed("{"), UsageReport(3, 4)]


def assemble(*chunks: Chunk) -> Assembler:
    """An assembler that took `chunks`."""
    assembler = Assembler()
    for chunk in chunks:
        assembler.add(chunk)
    return assembler


content = st.text(alphabet='ab {}":\\é\n', min_size=1, max_size=12)
plain_blocks = st.one_of(content.map(Text), content.map(Reasoning), content.map(Opaque))
messages = st.builds(
    lambda blocks, calls: (*blocks, *(Call(f"c{n}", "tool", args) for n, args in enumerate(calls))),
    st.lists(plain_blocks, max_size=3),
    st.lists(st.text(alphabet='{}":1a', max_size=8), max_size=2),
)


@st.composite
def cuts(draw: st.DrawFn, text: str) -> list[str]:
    """`text` in pieces, cut anywhere, pieces without text included."""
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=3)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


@st.composite
def spelled(draw: st.DrawFn, block: Block, index: int) -> list[Chunk]:
    """The chunks of one block: start and end given, repeated or missing, content cut anywhere."""
    kind = KINDS[type(block)]
    chunks: list[Chunk] = [BlockStart(kind, index)] * draw(st.integers(0, 2))
    if isinstance(block, Call):
        first, *rest = draw(cuts(block.args))
        chunks.append(CallDelta(index, block.id, block.name, first))
        chunks += [CallDelta(index, args=piece) for piece in rest]
        if draw(st.booleans()):
            chunks.append(CallDelta(index, block.id, block.name, block.args))
    else:
        chunks += [DELTAS[type(block)](piece, index) for piece in draw(cuts(block.text))]
    if draw(st.booleans()):
        late = CallDelta(index, args="x") if kind == "call" else DELTAS[type(block)]("x", index)
        chunks += [BlockEnd(kind, index), BlockEnd(kind, index), late]
    return chunks


@st.composite
def spellings(draw: st.DrawFn, blocks: tuple[Block, ...]) -> list[Chunk]:
    """A whole stream: blocks opened in order, their other chunks interleaved, noise anywhere."""
    queues = [draw(spelled(block, index)) for index, block in enumerate(blocks)]
    chunks: list[Chunk] = []
    opened = 0
    while any(queues):
        ready = [n for n, queue in enumerate(queues) if queue and n <= opened]
        chosen = draw(st.sampled_from(ready))
        opened = max(opened, chosen + 1)
        chunks.append(queues[chosen].pop(0))
    for place in draw(st.lists(st.integers(0, len(chunks)), max_size=3)):
        chunks.insert(place, draw(st.sampled_from(NOISE)))
    after: list[Chunk] = [TextDelta("late", 0), Finish("length"), UsageReport(9, 9)]
    return [*chunks, *([Finish()] if draw(st.booleans()) else []), Finish(), *after]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_all_fragmentations_of_one_message_assemble_to_the_same_message(
    data: st.DataObject,
) -> None:
    """Whatever a provider leaves out, repeats, cuts or interleaves, the message is the same."""
    blocks = data.draw(messages)
    assembler = assemble(*data.draw(spellings(blocks)))
    assert Message("assistant", blocks) == assembler.message()
    assert Finish() == assembler.terminal


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_interrupted_blocks_are_the_text_and_reasoning_that_is_not_blank(
    data: st.DataObject,
) -> None:
    """A cut stream leaves neither calls nor unknown blocks nor blanks, and keeps the order."""
    blocks = data.draw(messages)
    kept = tuple(b for b in blocks if isinstance(b, Text | Reasoning) and b.text.strip())
    assert kept == assemble(*data.draw(spellings(blocks))).interrupted_blocks()


def test_open_blocks_count_as_interrupted() -> None:
    """A block without an end is as good as a closed one."""
    assembler = assemble(ReasoningDelta("hm", 0), BlockEnd("reasoning", 0), TextDelta("Hel", 1))
    assert (Reasoning("hm"), Text("Hel")) == assembler.interrupted_blocks()


def test_a_delta_after_its_block_closed_is_ignored_and_counted() -> None:
    """What comes too late for its block changes nothing."""
    assembler = assemble(TextDelta("a", 0), BlockEnd("text", 0), TextDelta("b", 0))
    assert (Text("a"),) == assembler.blocks()
    assert 1 == assembler.ignored


def test_a_start_of_a_closed_block_opens_another_one() -> None:
    """A provider that reuses an index loses nothing."""
    assembler = assemble(
        TextDelta("a", 0), BlockEnd("text", 0), BlockStart("text", 0), TextDelta("b", 0)
    )
    assert (Text("a"), Text("b")) == assembler.blocks()


def test_calls_that_share_an_index_are_told_apart_by_their_ids() -> None:
    """Some providers give every call index 0."""
    assembler = assemble(CallDelta(0, "c1", "t", "{}"), CallDelta(0, "c2", "t", '{"a":1}'))
    assert (Call("c1", "t", "{}"), Call("c2", "t", '{"a":1}')) == assembler.blocks()


def test_an_id_behind_the_end_of_a_call_without_one_begins_another_call() -> None:
    """The call that was ended has its arguments, and needs no id any more."""
    first, second = CallDelta(0, "", "t", "{}"), CallDelta(0, "c2", "t", '{"a":1}')
    assembler = assemble(first, BlockEnd("call", 0), second)
    assert (Call("", "t", "{}"), Call("c2", "t", '{"a":1}')) == assembler.blocks()


def test_an_id_that_comes_again_with_nothing_does_not_empty_the_arguments() -> None:
    """Half an argument text must not become none, with which a tool could be run."""
    half = CallDelta(0, "c1", "t", '{"a":')
    for blank in ("", " "):
        blocks = assemble(half, CallDelta(0, "c1", "t", blank)).blocks()
        assert (Call("c1", "t", '{"a":' + blank),) == blocks


def test_chunks_after_the_terminal_are_ignored() -> None:
    """The first terminal stays, whatever a stream that is read on then says."""
    assembler = assemble(TextDelta("a"), Aborted("user"), TextDelta("b"), Finish())
    assert (Text("a"),) == assembler.blocks()
    assert Aborted("user") == assembler.terminal
    assert 2 == assembler.ignored


def test_usage_after_the_terminal_counts() -> None:
    """Some providers send it last, and it is billed wherever it stands."""
    assert (1, 2) == assemble(TextDelta("a"), Finish(), UsageReport(1, 2)).usage


def test_usage_is_cumulative() -> None:
    """The last report overwrites the earlier ones."""
    assert (5, 7) == assemble(UsageReport(5, 1), UsageReport(5, 7)).usage


def test_pings_and_broken_chunks_are_ignored_and_counted() -> None:
    """They say nothing about the message."""
    assembler = assemble(KeepAlive(), TextDelta("a"), Malformed("{"))
    assert (Text("a"),) == assembler.blocks()
    assert 2 == assembler.ignored
