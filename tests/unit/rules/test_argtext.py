"""Argument text: whole or cut, one call or two."""

import pytest

from simharness.rules.argtext import parses, texts, whole


@pytest.mark.parametrize(
    ("pieces", "finished", "expected"),
    [
        (['{"q"', ": 1}"], False, True),
        (['{"q"', ": "], True, False),
        ([""], True, True),
        ([" "], False, False),
        (['{"q": ', '{"q": 1}'], False, True),  # a preview and its confirmation
        (['{"q": ', "1"], True, False),  # a tail that is no object
    ],
)
def test_whole_means_that_everything_arrived(
    pieces: list[str], finished: bool, expected: bool
) -> None:
    """Blank text is whole once the stream has finished."""
    assert expected is whole(pieces, finished=finished)


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (['{"q"', ": 1}"], 1),
        (["{}", "{}"], 1),  # the same again
        (['{"q', '{"q": 1}'], 1),  # a preview and its confirmation
        (["{}", '{"q": 1}'], 2),
        (['{"q', "{}"], 2),  # the first call was broken
    ],
)
def test_one_id_may_stand_for_two_calls(pieces: list[str], expected: int) -> None:
    """A second text that does not go on from the first is another call."""
    assert expected == len(texts(pieces))


@pytest.mark.parametrize(("text", "expected"), [("", True), ("{}", True), ("[1", False)])
def test_blank_text_is_no_arguments(text: str, expected: bool) -> None:
    """Providers send it for tools without parameters."""
    assert expected is parses(text)
