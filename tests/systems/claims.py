"""What was seen of each release by hand, as claims about what the next request holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import attrs

from simharness.scenario.load import load_text
from simharness.scenario.model import Case
from simharness.trace import Message, RequestMade, Shown, Trace
from simharness.verdict import Verdict

__all__ = ["CLAIMS", "Claim", "Seen", "cases", "seen"]

_MID_STREAM = """
scenario: mid-stream
tools: {search: {returns: 3 hits}}
model:
  - stream:
      each:
        - ["Hello ", "wonderful ", "world"]
        - [{reasoning: "Hm, "}, {reasoning: "so "}, "three"]
        - ["Hello ", "wonderful ", {call: {name: search, args: "{}"}}]
    on_cancel:
      each:
        - aborted
        - error
        - raise
        - close
        - finish
        - ignore
        - {report: aborted, latency: 800ms}
        - {report: error, keeps_sending: 1}
run:
  - prompt: q1
  - cancel: {after: {each: [chunk 1, chunk 2]}, way: WAY}
"""
_TEXT_CUT = """
scenario: text-cut
model: [["Hello ", "wonderful ", "world"]]
run:
  - prompt: q1
  - cancel: {after: {each: [chunk 2, chunk 3]}, way: task}
"""
_SECOND_CUT = """
scenario: second-turn-cut
run:
  - prompt: q1
    model: [["The answer ", "is complete"]]
  - prompt: q2
    model: [[hang]]
  - cancel: {after: request 1, way: task}
"""
_TOOL_CUT = """
scenario: tool-cut
tools: {slow: {returns: ok, takes: 1s}}
model:
  - ["Let ", "me look", {call: slow}]
  - ["Done"]
run:
  - prompt: q1
  - cancel: {during: slow, way: task}
"""
_TEXTS = {
    "mid-stream": _MID_STREAM.replace("WAY", "api"),
    "text-cut": _TEXT_CUT,
    "second-turn-cut": _SECOND_CUT,
    "tool-cut": _TOOL_CUT,
}
MARK = "[INTERRUPTED]\n\n"


def cases(name: str) -> tuple[Case, ...]:
    """The cases of a script."""
    return tuple(load_text(_TEXTS[name]).cases)


@attrs.frozen
class Seen:
    """What one trial came to: what the user saw, and the messages of the last prompt's request."""

    shown: str
    sent: tuple[Message, ...]
    broken: frozenset[str]

    def of(self, role: str) -> list[str]:
        """The texts, reasoning included, of the messages of a role."""
        return [one.reasoning + one.text for one in self.sent if one.role == role]

    @property
    def answers(self) -> list[str]:
        """What the assistant is said to have said."""
        return self.of("assistant")

    @property
    def dangling(self) -> list[str]:
        """The calls without a result."""
        results = {one.call_id for one in self.sent if one.role == "tool"}
        calls = [call.id for one in self.sent for call in one.calls]
        return [call for call in calls if call not in results]


def seen(verdict: Verdict) -> Seen:
    """Read a trial: the run that was cut is the one before the closing prompt."""
    trace = verdict.trace
    assert isinstance(trace, Trace)
    last = max(trace.runs())
    shown = "".join(one.text for one in trace.of(Shown, last - 1))
    (request, *_) = trace.of(RequestMade, last)
    return Seen(shown, request.messages, verdict.broken())


@attrs.frozen
class Claim:
    """A sentence about a release, the script that shows it, and what has to hold in every case."""

    system: str
    says: str
    script: str
    holds: Callable[[Seen], bool]


_LOST = "delivered-prefix-kept"
_SAYS: Mapping[str, tuple[str, str, Callable[[Seen], bool]]] = {
    "dsh 0.1.0-rc.6": (
        "loses what was shown in every mid-stream cancel, however the stream reacts",
        "mid-stream",
        lambda it: it.answers == [] and bool(it.shown) and _LOST in it.broken,
    ),
    "dsh 0.1.0-rc.8": (
        "keeps what was shown in every mid-stream cancel, however the stream reacts",
        "mid-stream",
        lambda it: it.answers == [it.shown] and bool(it.shown) and not it.broken,
    ),
}

CLAIMS: tuple[Claim, ...] = (
    *(Claim(system, *claim) for system, claim in _SAYS.items()),
    Claim(
        "tunacode 0.1.48",
        "loses the prompt and what was shown",
        "text-cut",
        lambda it: [m.role for m in it.sent] == ["user"] and _LOST in it.broken,
    ),
    Claim(
        "tunacode 0.1.49",
        "keeps what was shown without its first chunk, and loses the prompt",
        "text-cut",
        lambda it: (
            it.answers == [MARK + it.shown.removeprefix("Hello ")]
            and it.shown.startswith("Hello wonderful ")
            and it.of("user") == ["again"]
        ),
    ),
    Claim(
        "tunacode 0.1.49",
        "shows the answer of the turn before as that of a turn that was cut at once",
        "second-turn-cut",
        lambda it: it.answers == ["The answer is complete", f"{MARK}is complete"] and not it.shown,
    ),
    Claim(
        "tunacode 0.2.3",
        "keeps the prompt and all that was shown",
        "text-cut",
        lambda it: it.answers == [MARK + it.shown] and it.of("user")[0] == "q1" and not it.broken,
    ),
    Claim(
        "tunacode 0.2.3",
        "has no phantom of the turn before",
        "second-turn-cut",
        lambda it: it.answers == ["The answer is complete"] and it.of("user")[1] == "q2",
    ),
    Claim(
        "tunacode 0.2.3",
        "leaves a call without a result after a cancel in a tool",
        "tool-cut",
        lambda it: it.dangling == ["c1"] and "tool-pairing" in it.broken,
    ),
)
