"""Which calls of a response run side by side."""

from __future__ import annotations

import pytest

from simharness.agents.reference.settings import Settings
from simharness.agents.reference.strategies import grouped
from simharness.trace import Call


def groups(names: str, settings: Settings) -> list[str]:
    """The groups of calls with one-letter names."""
    calls = [Call(f"c{number}", name, "{}") for number, name in enumerate(names)]
    return ["".join(call.name for call in group) for group in grouped(calls, settings)]


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        (Settings(), ["abcde"]),
        (Settings(cap=2), ["abcde"]),
        (Settings(tools="sequential"), ["a", "b", "c", "d", "e"]),
        (Settings(tools="batched"), ["ab", "cd", "e"]),
        (Settings(tools="batched", batch=3), ["abc", "de"]),
        (Settings(exclusive=("c",)), ["ab", "c", "de"]),
        (Settings(exclusive=("a", "e")), ["a", "bcd", "e"]),
        (Settings(tools="batched", exclusive=("b",)), ["a", "b", "cd", "e"]),
    ],
)
def test_calls_are_grouped_as_the_settings_say(settings: Settings, wanted: list[str]) -> None:
    """In the model's order, and every call in exactly one group."""
    assert wanted == groups("abcde", settings)


def test_no_calls_make_no_groups() -> None:
    """There is nothing to run."""
    assert [] == groups("", Settings())
