"""What viewers would obey or hide is shown by its number."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from simharness.report.visible import HIDDEN, visible
from tests.reports import HOSTILE


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[1m", "\\x1b[1m"),
        ("a\x00b\r", "a\\x00b\\x0d"),
        ("\u202e", "\\u202e"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("line\n\ttab", "line\n\ttab"),
        ("naïve שלום 你好 🎉", "naïve שלום 你好 🎉"),
    ],
)
def test_controls_are_shown_and_words_of_any_language_stay(text: str, shown: str) -> None:
    """Escapes, direction marks and halves of characters get a number; letters are left alone."""
    assert shown == visible(text)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_showing_twice_changes_nothing(text: str) -> None:
    """A report may be made visible where it is put together, and again where it is printed."""
    assert visible(text) == visible(visible(text))


def test_no_control_and_no_half_of_a_character_is_missed() -> None:
    """All that Unicode calls a control, a format, a surrogate or a separator of lines."""
    kinds = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    every = (chr(code) for code in range(sys.maxunicode + 1))
    passed = {one for one in every if unicodedata.category(one) in kinds and not HIDDEN.match(one)}
    written = "\t\n\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"
    rare = {one for one in passed - set(written) if ord(one) < 0x10000}

    assert set() == rare
