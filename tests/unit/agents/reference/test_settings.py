"""Settings of the reference loop: what is applied and what is refused."""

from __future__ import annotations

import pytest

from simharness.agents.reference.settings import RetrySettings, Settings


def test_settings_are_applied_by_name() -> None:
    """A retry is described by a mapping of its own, of which parts may be left out."""
    words = {"turn_limit": 2, "tools": "sequential", "cap": 3, "retry": {"max": 1}, "system": "Be."}
    wanted = Settings(2, "sequential", 3, RetrySettings(max=1), "Be.")
    assert (wanted, set()) == Settings().updated(words)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("speed", 1),
        ("turn_limit", "two"),
        ("turn_limit", -1),
        ("tools", "all at once"),
        ("cap", 0),
        ("retry", {"often": 1}),
        ("retry", {"delay": "long"}),
        ("retry", "never"),
        ("system", 1),
        ("batch", 0),
        ("exclusive", 3),
        ("exclusive", [3]),
        ("token_limit", -1),
        ("time_limit", "soon"),
        ("loop_limit", 0),
        ("second_prompt", "ignore"),
        ("queue_on_cancel", "keep"),
    ],
)
def test_unknown_names_and_values_are_refused(name: str, value: object) -> None:
    """What cannot be applied is named, and the rest is applied."""
    wanted = Settings(turn_limit=1) if name != "turn_limit" else Settings()
    words = {"turn_limit": 1} | {name: value}
    assert (wanted, {name}) == Settings().updated(words)
