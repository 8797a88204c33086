"""Schemas of what comes from outside: steps, streams, reactions, tools, stores."""

from __future__ import annotations

from typing import Any

from simharness.scenario.blocks import BLOCK_MARKS
from simharness.scenario.model import Report, ToolReaction
from simharness.scenario.schema.forms import (
    COUNT,
    FLAG,
    NOTHING,
    SECONDS,
    TEXT,
    choice,
    listed,
    one_or_more,
    ref,
    section,
    words,
)
from simharness.scenario.steps import FINISH_REASONS, STEP_NAMES
from simharness.scenario.vocabulary import EXCEPTIONS

__all__ = ["answer", "reaction", "step", "store", "stream", "tool"]

Schema = dict[str, Any]

_ERROR_KEYS: dict[str, Schema] = {
    "message": TEXT,
    "kind": TEXT,
    "retryable": FLAG,
    "retry_after": SECONDS,
}
_ERROR = choice(NOTHING, TEXT, section("error", _ERROR_KEYS))
_RAISED = choice(NOTHING, TEXT, section("raised", _ERROR_KEYS | {"as": words(EXCEPTIONS)}))
_DELTA = choice(TEXT, section("delta", {"text": TEXT, "index": COUNT}, required=["text"]))
_CALL = choice(
    TEXT,
    section(
        "call",
        {
            "name": TEXT,
            "args": choice(TEXT, {"type": "object"}),
            "id": TEXT,
            "index": COUNT,
            "pieces": choice(COUNT, listed(TEXT)),
            "cut": one_or_more(COUNT),
        },
        required=["name"],
    ),
)
_USAGE = choice(
    {"type": "array", "items": COUNT, "minItems": 2, "maxItems": 2},
    section("usage", {"input": COUNT, "output": COUNT}),
)
_VALUES: dict[str, Schema] = {
    "text": _DELTA,
    "reasoning": _DELTA,
    "opaque": _DELTA,
    "call": _CALL,
    "args": _DELTA,
    "usage": _USAGE,
    "wait": SECONDS,
    "finish": choice(NOTHING, words(FINISH_REASONS)),
    "error": _ERROR,
    "abort": choice(NOTHING, TEXT),
    "raise": _RAISED,
}
"""What steps with a value take; a block mark takes the number of its block, others nothing."""


def step() -> Schema:
    """A text delta, a reserved word, or a mapping of one key."""
    marks = dict.fromkeys(BLOCK_MARKS, choice(NOTHING, COUNT))
    valued = {name: (_VALUES | marks).get(name, NOTHING) for name in STEP_NAMES}
    return choice(TEXT, section("step", valued) | {"minProperties": 1, "maxProperties": 1})


def stream() -> Schema:
    """A list of steps, or a single one that is no mapping."""
    return choice(TEXT, {"type": "array", "items": ref("step"), "minItems": 1})


def reaction() -> Schema:
    """What a stream does when it is told of a cancel: a word, or the full form."""
    close = section("close", {"takes": SECONDS, "raises": FLAG})
    full = {
        "report": words(Report),
        "reason": TEXT,
        "latency": SECONDS,
        "ends_after": SECONDS,
        "keeps_sending": COUNT,
        "late": listed(ref("step")),
        "close": choice(NOTHING, close),
    }
    return choice({"enum": list(Report)}, section("reaction", full))


def answer() -> Schema:
    """One answer of the model: a stream, or a mapping around one, or attempts."""
    wire = section("wire", {"split": COUNT, "done": FLAG, "truncate": FLAG})
    full = {
        "stream": ref("stream"),
        "on_cancel": ref("reaction"),
        "start": FLAG,
        "burst": COUNT,
        "every": SECONDS,
        "wire": choice(wire),
    }
    attempts = section("attempts", {"attempts": listed(ref("answer"))}, required=["attempts"])
    return choice(ref("stream"), section("answer", full, required=["stream"]), attempts)


def tool() -> Schema:
    """A scripted tool; a bare text is what it returns."""
    full = {
        "returns": TEXT,
        "raises": TEXT,
        "takes": choice({"const": "none"}, SECONDS),
        "effects": COUNT,
        "on_cancel": words(ToolReaction),
        "schema": {"type": "object"},
        "ends_turn": FLAG,
    }
    return choice(NOTHING, TEXT, section("tool", full))


def store() -> Schema:
    """A scripted session store with its faults."""
    fault = choice(
        {"const": "always"},
        COUNT,
        section("fault", {"write": COUNT, "always": FLAG}, required=["write"]),
    )
    return choice(
        NOTHING,
        section(
            "store",
            {
                "slow": SECONDS,
                "fails": fault,
                "drops": fault,
                "torn": fault,
                "buffered": FLAG,
                "holds": one_or_more(TEXT),
            },
        ),
    )
