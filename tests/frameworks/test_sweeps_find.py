"""What a sweep of a real framework finds, and that its replay codes mean the same elsewhere.

Each find is confirmed without simharness by a plain script beside this file.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.processes import simharness

FINDS = {
    "tinyagent": {
        "a tool starts after a cancel": ("no-tool-start-after-cancel", "was started after"),
        "a model is asked after a cancel": ("no-model-call-after-cancel", "request was made after"),
        "a turn is left open": ("start-end-paired", "the start of turn 1 has no end"),
        "a message is left open": ("start-end-paired", "the assistant message has no end"),
        "a call stays unanswered": ("tool-pairing", "has no result"),
        "a tool runs with cut arguments": ("args-complete", "was run although"),
    },
    "pydantic-ai": {
        "a finished result is lost": ("tool-pairing", "the prompt of run 2 was refused"),
        "an internal task stays pending": ("no-leaked-tasks", "leaked-task: ScopedTask"),
    },
}
TRIALS = {"tinyagent": 2_500, "pydantic-ai": 1_000}


def swept(agent: str) -> list[dict[str, Any]]:
    """All violations of a sweep under hash seed 1."""
    done = simharness(
        "sweep", "--agent", agent, "--total", str(TRIALS[agent]), "--json", "-", hash_seed="1"
    )
    assert 1 == done.returncode, done.stderr
    report = json.loads(done.stdout)
    return [violation for case in report["cases"] for violation in case["violations"]]


@pytest.mark.framework
@pytest.mark.parametrize("agent", FINDS)
def test_a_sweep_finds_what_plain_scripts_confirm(agent: str) -> None:
    """Every find is reported with a code that replays exactly under another hash seed."""
    pytest.importorskip(agent.replace("-", "_"))
    violations = swept(agent)
    for what, (rule, words) in FINDS[agent].items():
        shown = [v for v in violations if v["rule"] == rule and words in v["message"]]
        assert shown, f"{what}: not found"
        code = min(shown, key=lambda v: (v["deviations"], len(v["replay"])))["replay"]
        again = simharness("replay", code, hash_seed="77")
        assert 1 == again.returncode, f"{what}: {again.stdout}{again.stderr}"
        assert again.stdout.startswith("EXACT"), what
