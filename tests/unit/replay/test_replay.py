"""Replay codes: what they hold, how damage and drift are told."""

from __future__ import annotations

import re
import shlex
import string

import attrs
import pytest
from hypothesis import given, strategies as st

from simharness.choices import Course, Kind, Option, Point
from simharness.replay import codec
from simharness.replay.code import (
    Deviation,
    MatchKind,
    ReplayCode,
    ReplayError,
    compare,
    differences,
    embeddable,
    label_hashes,
    recorded,
    sidecar,
    source_hash,
)

TOKEN = string.ascii_letters + string.digits + "-_"


def course(*points: str) -> Course:
    """Build a course: `a b* c` offers a, b and c and takes b."""
    made = []
    for words in points:
        labels = words.split()
        chosen = next((n for n, label in enumerate(labels) if label.endswith("*")), 0)
        names = [label.rstrip("*") for label in labels]
        made.append(Point(tuple(Option(name, Kind.SOURCE, name) for name in names), chosen))
    return tuple(made)


COURSE = course("run cancel", "chunk1 cancel* time", "run chunk2", "run chunk2* search")


def code(of: Course = COURSE, trace_hash: str = "0123456789abcdef", **fields: object) -> ReplayCode:
    made = ReplayCode(
        case="cancel-between-tools[reaction=error]",
        source_hash=source_hash("scenario: x"),
        agent="tinyagent",
        agent_version="1.2.29",
        python="3.12",
        deviations=recorded(of),
        trace_hash=trace_hash,
    )
    return attrs.evolve(made, **fields)  # type: ignore[arg-type]


deviations = st.builds(
    Deviation,
    st.integers(0, 10_000),
    st.integers(1, 50),
    st.integers(2, 51),
    st.text("0123456789abcdef", min_size=8, max_size=8),
    st.text(max_size=32),
)
codes = st.builds(
    ReplayCode,
    case=st.text(),
    source_hash=st.text("0123456789abcdef", max_size=10),
    agent=st.text(),
    agent_version=st.text(),
    python=st.sampled_from(["3.11", "3.12", "3.13"]),
    mode=st.sampled_from(["strict", "relaxed"]),
    seed=st.integers(),
    deviations=st.lists(deviations, max_size=4).map(tuple),
    trace_hash=st.text("0123456789abcdef", max_size=16),
    source=st.none() | st.text(max_size=200),
)


class TestText:
    @given(codes)
    def test_every_code_comes_back_as_it_was(self, original: ReplayCode) -> None:
        """Decoding undoes encoding, whatever the names contain."""
        assert original == ReplayCode.decode(original.encode())

    @given(codes)
    def test_a_shell_takes_every_code_without_quotes(self, original: ReplayCode) -> None:
        """A code is one word of letters, digits, dash and underscore behind `sh1:`."""
        text = original.encode()
        assert re.fullmatch(r"sh1:[A-Za-z0-9_-]+", text)
        assert [text] == shlex.split(text)

    @given(codes, st.data())
    def test_a_wrong_character_is_always_noticed(
        self, original: ReplayCode, data: st.DataObject
    ) -> None:
        """Any one character replaced by another is an error, never a different trial."""
        text = original.encode()
        place = data.draw(st.integers(0, len(text) - 1))
        wrong = data.draw(st.sampled_from(TOKEN + ":. $é").filter(lambda c: c != text[place]))
        with pytest.raises(ReplayError):
            ReplayCode.decode(text[:place] + wrong + text[place + 1 :])

    @given(codes, st.data())
    def test_a_code_that_was_cut_off_is_always_noticed(
        self, original: ReplayCode, data: st.DataObject
    ) -> None:
        """No beginning of a code is a code."""
        text = original.encode()
        with pytest.raises(ReplayError):
            ReplayCode.decode(text[: data.draw(st.integers(0, len(text) - 1))])

    def test_blanks_around_a_code_do_not_matter(self) -> None:
        """A code copied with its line end still works."""
        assert code() == ReplayCode.decode(f"  {code().encode()}\n")

    @pytest.mark.parametrize("count", [0, 1, 2])
    def test_a_typical_code_is_shorter_than_200_characters(self, count: int) -> None:
        """Up to two deviations of a scenario from a file fit in a line of a log."""
        points = ["run chunk-3-of-request-1", *["run x cancel-from-outside*"] * count]
        assert len(code(course(*points)).encode()) < 200

    def test_a_code_of_format_1_stays_readable(self) -> None:
        """This text was written once; whatever changes, it must decode to the same trial."""
        assert code() == ReplayCode.decode(WRITTEN)


class TestErrors:
    def test_a_text_that_is_no_code_is_told_so(self) -> None:
        """The sentence shows how the text starts and how a code does."""
        with pytest.raises(ReplayError, match=r"no replay code: it starts with 'scenario', not"):
            ReplayCode.decode("scenarios/cancel.yaml")

    def test_a_later_format_is_named(self) -> None:
        """The sentence names both formats and what to do."""
        with pytest.raises(ReplayError, match=r"format 7, this simharness reads format 1: use the"):
            ReplayCode.decode("sh7:AAAA")

    def test_a_foreign_character_is_shown_with_its_position(self) -> None:
        """The sentence says which character, and where."""
        with pytest.raises(ReplayError, match=r"damaged: '!' at position 3 "):
            ReplayCode.decode("sh1:AB!D")

    def test_a_wrong_character_is_a_checksum_mismatch(self) -> None:
        """A character of the alphabet in the wrong place is found by the checksum."""
        text = code().encode()
        wrong = "A" if text[20] != "A" else "B"
        with pytest.raises(ReplayError, match=r"checksum of this replay code does not match"):
            ReplayCode.decode(text[:20] + wrong + text[21:])

    def test_a_missing_end_is_told(self) -> None:
        """A token of an impossible length is not handed to the decoder of base64."""
        with pytest.raises(ReplayError, match=r"missing or wrong at its end"):
            ReplayCode.decode("sh1:A")

    @pytest.mark.parametrize(
        ("content", "sentence"),
        [
            ("{", "damaged: Expecting property name"),
            ("{}", "does not hold the fields of format 1"),
            ("[1,2]", "does not hold the fields of format 1"),
            ('[1,"","","","","","",0,[]]', "1 should be a text"),
            ('["","","","","","","","x",[]]', "'x' should be a number"),
            ('["","","","","","","",true,[]]', "True should be a number"),
            ('["","","","","","","",0,[[1]]]', "damaged: "),
            ('["","","","","","","",0,7]', "damaged: "),
        ],
    )
    def test_a_well_packed_text_with_other_content_is_told(
        self, content: str, sentence: str
    ) -> None:
        """Content that is not that of a code is damage too, never a traceback."""
        with pytest.raises(ReplayError, match=re.escape(sentence)):
            ReplayCode.decode(codec.write(content))

    def test_content_that_unpacks_to_too_much_is_refused(self) -> None:
        """A short text cannot be made to fill the memory."""
        with pytest.raises(ReplayError, match=r"cut off or far too long"):
            codec.read(codec.write("a" * 2_000_000))

    @pytest.mark.parametrize("packed", [b"\xff\xff\xff", b"\x01\x01\x00\xfe\xff\xff"])
    def test_bytes_that_were_never_packed_are_told(self, packed: bytes) -> None:
        """A right checksum over bytes that unpack to no text is damage."""
        token = codec._to_token(packed + codec._checksum(packed))
        with pytest.raises(ReplayError, match=r"damaged: "):
            codec.read(f"sh1:{token}")


class TestSource:
    def test_a_scenario_travels_inside_the_code(self) -> None:
        """What stands in no file can be replayed from the code alone."""
        inside = code(source="scenario: shrunk\ntools: {}\n")
        assert "scenario: shrunk\ntools: {}\n" == ReplayCode.decode(inside.encode()).source

    def test_a_scenario_that_is_too_long_is_refused_with_the_file_to_write(self) -> None:
        """Above 2 KB compressed the caller keeps the scenario in a file."""
        long = "".join(f"{number * number:x}" for number in range(2000))
        assert not embeddable(long)
        with pytest.raises(ReplayError, match=re.escape(sidecar(source_hash("scenario: x")))):
            code(source=long).encode()

    def test_text_that_packs_well_may_be_longer_than_the_limit(self) -> None:
        """The limit is on what the code carries."""
        assert embeddable("- text: hello\n" * 1000)

    def test_the_file_beside_a_code_is_named_by_its_hash(self) -> None:
        """Two scenarios never share a file."""
        assert ".simharness/0123456789.sim.yaml" == sidecar("0123456789")
        assert source_hash("scenario: a") != source_hash("scenario: b")


class TestRecorded:
    def test_a_deviation_holds_point_option_options_and_label(self) -> None:
        """Everything the replay needs, and a word for the reader."""
        first, second = recorded(COURSE)
        assert (1, 1, 3, "cancel") == (first.point, first.option, first.options, first.label)
        assert (3, 1, 3, "chunk2") == (second.point, second.option, second.options, second.label)
        assert ((1, 1), (3, 1)) == code().schedule

    def test_a_label_hash_covers_all_options_up_to_its_point(self) -> None:
        """A changed label changes the hash of its point and of all behind, none before."""
        before = label_hashes(course("a b", "c d", "e f"))
        after = label_hashes(course("a b", "c x", "e f"))
        assert [True, False, False] == [a == b for a, b in zip(before, after, strict=True)]

    def test_labels_are_kept_apart_in_the_hash(self) -> None:
        """Moving a letter or a label from one option or point to the next is a change."""
        hashes = {
            label_hashes(points)[-1]
            for points in (
                course("ab c"),
                course("a bc"),
                course("a b", "c d"),
                course("a b c d"),
            )
        }
        assert 4 == len(hashes)


class TestCompare:
    def test_the_same_trace_is_exact(self) -> None:
        """Equal trace hashes are the same trial."""
        match = compare(code(), COURSE, "0123456789abcdef")
        assert match.exact
        assert "exact" == str(match)

    def test_the_same_trace_is_exact_even_if_a_label_was_reworded(self) -> None:
        """What happened counts, not what it is called."""
        reworded = course("run stop", "chunk1 stop* time", "run chunk2", "run chunk2* search")
        assert compare(code(), reworded, "0123456789abcdef").exact

    def test_equal_labels_with_another_trace_are_never_exact(self) -> None:
        """The schedule was followed, and yet something else happened behind it."""
        match = compare(code(), COURSE, "ffff")
        assert MatchKind.DRIFTED_AFTER is match.kind
        assert "drifted after point 3" == str(match)

    def test_a_changed_option_is_named_at_the_first_deviation_that_sees_it(self) -> None:
        """The sentence shows what was recorded and what stands there now."""
        now = course("run cancel", "chunk1 time* cancel", "run chunk2", "run chunk2* search")
        assert (
            "drifted at point 1 (recorded option 1 of 3 (cancel), now option 1 of 3 (time))"
            == str(compare(code(), now, "ffff"))
        )

    def test_a_change_before_the_deviation_is_told_although_its_own_option_is_the_same(
        self,
    ) -> None:
        """An equal option at another moment is drift."""
        now = course("run other", "chunk1 cancel* time", "run chunk2", "run chunk2* search")
        match = compare(code(), now, "ffff")
        assert 1 == match.point
        assert "option 1 of 3 (cancel), other options around it" == match.now

    def test_a_later_deviation_can_be_the_first_that_drifts(self) -> None:
        """What the first deviation saw is as recorded."""
        now = course("run cancel", "chunk1 cancel* time", "run chunk2", "run search")
        match = compare(code(), now, "ffff")
        assert (3, "option 1 of 2 (search)") == (match.point, match.now)

    def test_an_option_that_is_gone_is_told(self) -> None:
        """Fewer options than the recorded number."""
        old = code(course("a b c*"))
        assert "only 2 options" == compare(old, course("a b"), "ffff").now

    def test_a_trial_that_ends_before_the_deviation_is_told(self) -> None:
        """The point is not there any more."""
        match = compare(code(), COURSE[:1], "ffff")
        assert (1, "a trial of 1 choice points") == (match.point, match.now)

    def test_a_default_trial_that_changed_says_so(self) -> None:
        """Without a deviation there is no point to name."""
        calm = code(course("a b"))
        assert "drifted on the default schedule" == str(compare(calm, course("a b"), "ffff"))


class TestDifferences:
    def test_equal_surroundings_have_none(self) -> None:
        """Schedule and trace are no part of the surroundings."""
        assert [] == differences(code(), code(course("a b"), "ffff"))

    def test_each_changed_part_is_one_sentence(self) -> None:
        """Versions and the scenario text are named with both values."""
        now = code(agent_version="1.3.0", python="3.13")
        assert [
            "agent version: recorded 1.2.29, now 1.3.0",
            "Python: recorded 3.12, now 3.13",
        ] == differences(code(), now)


def test_python_defaults_to_the_running_minor() -> None:
    """The schedule of a trial may depend on the interpreter."""
    made = ReplayCode(case="c", source_hash="", agent="a")
    assert re.fullmatch(r"3\.[0-9]+", made.python)


WRITTEN = (
    "sh1:bdC7CoAwDAXQf8lch6aaNoNfUjL0Jbjo4v9jH4IgzpfknsTDME4Pbuo4XzXp2s9j7cdLXZWdRs1Y"
    "OLVSjWZeyDoOMeWy_TCRX8231yiwHFkThZoOAIjyZmSElChwm-wPRhCRG0cpbfQ"
)
