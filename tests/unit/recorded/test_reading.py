"""Reading: both frames, every place, and nothing but a located refusal out of bad input."""

import io

import pytest

from simharness.recorded.checking import check, check_file
from simharness.recorded.formats import FORMATS
from simharness.recorded.memory import SEEN_MAX, Opened, Seen, TooMuchError
from simharness.recorded.reading import LINE_MAX, Payload, TraceError, payloads, quoted


def read(data: bytes | str) -> list[Payload]:
    """The payloads of a file."""
    raw = data.encode() if isinstance(data, str) else data
    return list(payloads(io.BytesIO(raw), "f"))


def refused(data: bytes | str) -> str:
    """Where and why a file is refused."""
    with pytest.raises(TraceError) as caught:
        read(data)
    return str(caught.value)


def test_json_lines() -> None:
    """Blank lines, comments, Windows line ends and a byte order mark do not matter."""
    got = read(b'\xef\xbb\xbf# hi\n{"a": 1}\r\n\r\n# x\n  {"b": 2}\n[DONE]\n')
    assert [((2, 1), {"a": 1}), ((5, 3), {"b": 2})] == [(p.spot, p.value) for p in got[:2]]
    assert "[DONE]" == got[2].word


def test_server_sent_events() -> None:
    """Names, comments, ids; data over several lines; the last event needs no blank line."""
    got = read(': hi\nevent: x\ndata: {"a":\ndata: 1}\nid: 4\n\ndata:[DONE]\n\ndata: {"b": 2}')
    assert [("x", {"a": 1}), ("", None), ("", {"b": 2})] == [(p.name, p.value) for p in got]
    assert [(3, 7), (7, 6), (9, 7)] == [p.spot for p in got]


def test_marks_of_the_recorder() -> None:
    """A comment, or an object with this one key."""
    assert ["cancel", ""] == [p.word for p in read(': simharness cancel\n\ndata: {"a": 1}\n')]
    assert ["left"] == [p.word for p in read('{"simharness": "left"}')]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ('{"a": 1}\n{"a": }', "f:2:7: error: this is not JSON: Expecting value"),
        ('data: {"a": }\n', "f:1:13: error: this is not JSON: Expecting value"),
        ('data: {"a":\ndata: ]}\n', "f:2:7: error: this is not JSON: Expecting value"),
        ("[1, 2]", "f:1:1: error: a JSON array is not a trace; write one event a line"),
        ("hello", 'f:1:1: error: "hello" is neither a JSON object nor a field'),
        ('{"a": 1}\n7', 'f:2:1: error: an event is a JSON object, not "7"'),
        ('{"a": NaN}', "f:1:1: error: this is not JSON: NaN is no JSON"),
        ('{"a": ' + "[" * 100_000, "f:1:1: error: nested too deeply"),
        (b'{"a": "\xff"}', "f:1:8: error: byte 0xff is not UTF-8"),
        ('{"simharness": "stop"}', 'f:1:1: error: unknown mark "stop"; marks are cancel and left'),
        ("data: {}\nnonsense: 1\n", 'f:2:1: error: "nonsense: 1" is no field'),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(data: bytes | str, message: str) -> None:
    """File, line, column, what was found, what was expected."""
    assert refused(data).startswith(message)


def test_a_number_of_thousands_of_digits_is_refused() -> None:
    """Python would not convert it."""
    assert "f:1:1: error: this is not JSON" in refused('{"a": ' + "9" * 5000 + "}")


def test_a_line_without_an_end_is_refused_at_a_bound() -> None:
    """Nothing else would keep the memory small."""
    assert "a line of more than" in refused(b'{"a": "' + b"x" * LINE_MAX)
    many = b"".join(b"data: " + b"x" * 1_000_000 + b"\n" for _ in range(18))
    assert "an event of more than" in refused(many)


def test_quoted_text_is_short_and_obeys_no_terminal() -> None:
    """Escapes and lone surrogates are shown, not sent."""
    assert '"\\x1b[2J"' == quoted("\x1b[2J")
    assert '"\\ud800"' == quoted("\ud800")
    assert 62 == len(quoted("x" * 1000))


def test_what_came_before_a_refusal_counts() -> None:
    """Findings are kept, and the exit code says bad input."""
    trace = b'{"type": "TEXT_MESSAGE_START", "messageId": "m"}\n{"type": \n'
    done = check(io.BytesIO(trace), "f", FORMATS["agui"])
    assert 3 == done.exit_code
    assert {"agui-first-event"} == set(done.tally.broken)
    assert "f:3:1: error: this is not JSON" in str(done.refused) or "f:2:" in str(done.refused)


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_an_empty_trace_and_one_of_another_format_never_pass(form: object) -> None:
    """Nothing that was understood is no reason to say that it holds."""
    from simharness.recorded.format import Format

    assert isinstance(form, Format)
    assert 3 == check(io.BytesIO(b""), "f", form).exit_code
    assert 0 != check(io.BytesIO(b'{"colour": "red"}'), "f", form).exit_code


def test_a_file_that_is_not_there_is_refused(tmp_path: object) -> None:
    """Without a line, as there is none."""
    from pathlib import Path

    done = check_file(Path(str(tmp_path)) / "none", FORMATS["acp"])
    assert str(done.refused).endswith("none: error: cannot be read: No such file or directory")


def test_what_is_open_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """More is an error with its place, never a guess."""
    monkeypatch.setattr("simharness.recorded.memory.OPEN_MAX", 2)
    opened: Opened[int] = Opened()
    opened.add(1, 1)
    opened.add(2, 2)
    with pytest.raises(TooMuchError):
        opened.add(3, 3)
    lines = b"".join(
        b'{"type": "TEXT_MESSAGE_START", "messageId": "%d"}\n' % number for number in range(4)
    )
    start = b'{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}\n'
    done = check(io.BytesIO(start + lines), "f", FORMATS["agui"])
    assert str(done.refused).startswith("f:4:1: error: more than")


def test_of_what_was_forgotten_nothing_is_said() -> None:
    """Neither that it was seen nor that it was not."""
    seen: Seen[bool] = Seen()
    assert seen.unknown("x")
    for number in range(SEEN_MAX + 1):
        seen.add(number, True)
    assert seen.get(0) is None
    assert not seen.unknown(0)
    assert not seen.unknown("x")
