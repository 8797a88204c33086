"""An ACP agent is prompted, cancelled at each place, and judged by the protocol's rules."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from simharness.bridges.acp import Plan, converse
from simharness.bridges.acp_sweep import findings, sweep
from simharness.world.childprocess import ChildLimits
from tests.bridges import acp_agent

LIMITS = ChildLimits(answer_s=3.0)


def command(fault: str = "") -> list[str]:
    """The line that starts the agent."""
    return [sys.executable, "-S", str(Path(acp_agent.__file__)), *([fault] if fault else [])]


def test_a_sound_agent_holds_wherever_the_cancel_comes() -> None:
    """At once, behind each update, and while a permission waits; the next prompt is untouched."""
    conversations = dict(sweep(command(), Plan(), limits=LIMITS))
    assert {words: [] for words in conversations} == {
        words: findings(one) for words, one in conversations.items()
    }
    assert 5 == conversations["no cancel"].updates
    reasons = {words: stop_reasons(words, one.messages) for words, one in conversations.items()}
    assert ["end_turn", "end_turn"] == reasons["no cancel"]
    assert ["cancelled", "end_turn"] == reasons["cancel at update 1"]
    assert ["cancelled", "end_turn"] == reasons["cancel while a permission waits"]
    held = conversations["cancel while a permission waits"].messages
    assert {"outcome": {"outcome": "cancelled"}} in [one.get("result") for one in held]


def stop_reasons(_: str, messages: tuple[dict[str, object], ...]) -> list[object]:
    """The stop reasons of a conversation."""
    results = [one["result"] for one in messages if isinstance(one.get("result"), dict)]
    return [one["stopReason"] for one in results if "stopReason" in one]  # type: ignore[index,operator]


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("error", "acp-cancel-no-error"),
        ("end-turn", "acp-cancel-stop-reason"),
        ("late-update", "acp-cancel-updates-first"),
        ("silent", "child-silence: not idle again within 3 s"),
        ("prints", "child-garbage: message"),
    ],
)
def test_a_fault_around_the_cancel_is_named(fault: str, rule: str) -> None:
    """Red where the sound agent is green, and only there."""
    plan = Plan(permission="hold")
    assert [] == findings(converse(command(fault), Plan(again=None), LIMITS))
    broken = findings(converse(command(fault), plan, LIMITS))
    assert any(line.startswith(rule) for line in broken), broken


def test_requests_for_what_this_client_has_not_are_refused() -> None:
    """An agent that reads files through its client is told so, and the conversation goes on."""
    held = converse(command(), Plan(permission="reject", again=None), LIMITS)
    assert [] == findings(held)
    assert not held.fault
