"""Rules about what the model is told of a turn that did not come to its end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from simharness.contract import Contract
from simharness.rules.asked import ever_stopped
from simharness.rules.conversation import Heard, after_run, heard
from simharness.rules.reading import Cancel, Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.trace import Message, RequestMade, TerminalTaken, ToolEnded, Trace
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "cut_is_told", "nothing_empty"]

_CUT = re.compile(r"abort|cancel|interrupt|not run|stopp|terminated|cut off", re.IGNORECASE)
"""How agents say that something was cut, for those that declare no text of their own."""

_ANSWERS = frozenset({"stop", "tool_calls", "length", "refusal"})
"""Finish reasons with which an answer counts."""


def nothing_empty(trace: Trace, contract: Contract) -> Judgement:
    """Judge that no empty assistant message is kept, but where the contract promises one."""
    facts = read(trace, contract)
    found = [one for one in heard(facts) if "assistant" in one.roles]
    known = 0
    violations = []
    for one in found:
        empty = [fault for fault in one.faults if fault.kind == "empty"]
        if len(empty) > max(known, _promised(facts, one)):
            text = f"In {one.place} an empty assistant message was added."
            violations.append(Violation("no-empty-message", text, (one.n,)))
        known = max(known, len(empty))
    return judged(len(found), violations)


def _promised(facts: Facts, one: Heard) -> int:
    """How many empty messages the contract lets the runs before `one` leave."""
    contract = facts.contract
    cut = contract.cut_message == "emptied" or contract.empty_cancel == "empty-message"
    before = [run for run in facts.runs.values() if run.prompted < one.n]
    left = sum(cut and bool(run.cancels or run.left or run.replaced) for run in before)
    for run in before:
        ends = [facts.terminal(request) for request in run.requests if request.n < one.n]
        failed = any(_failed(contract, run, end) for end in ends)
        left += failed and contract.failed_final == "empty-message"
        if contract.empty_answer == "kept":
            answers = [end for end in ends if end is not None and _answers(contract, end)]
            left += sum(_says_nothing(facts, end) for end in answers)
    return left


def _failed(contract: Contract, run: RunFacts, end: TerminalTaken | None) -> bool:
    """Whether a stream failed, or spoke only when it was given up although nobody cancelled."""
    given_up = end is not None and end.answering and not run.cancels
    return given_up or not _answers(contract, end)


def _answers(contract: Contract, end: TerminalTaken | None) -> bool:
    """Whether a stream came to an answer. One that was given up before its end did not."""
    if end is None or end.kind not in {"finish", "close"}:
        return False
    return end.detail in _ANSWERS if end.kind == "finish" else contract.silent_close == "completed"


def _says_nothing(facts: Facts, end: TerminalTaken) -> bool:
    """Whether a stream came to its end without any content that stays."""
    stay = {"text", "reasoning", "opaque"} | ({"args"} if end.detail != "length" else set())
    chunks = facts.taken(end.run, end.request)
    return not any(chunk.kind in stay and chunk.text.strip() for chunk in chunks)


def cut_is_told(trace: Trace, contract: Contract) -> Judgement:
    """Judge that the request after a cut turn shows the cut and leaves no call open."""
    if contract.abort_visible != "yes":
        return NOTHING
    facts = read(trace, contract)
    occasions = 0
    violations = []
    for run, cancel in facts.cancelled():
        request = run.request_at(cancel.called)
        left = None if run.queued or facts.overlaps(run) else after_run(facts, run)
        if request is None or left is None or not _was_cut(facts, run, cancel, request):
            continue
        if contract.stop_note and ever_stopped(facts, run):
            continue  # a note claims that a caller has asked for it
        occasions += 1
        problem = _hidden(facts, request, left)
        if problem:
            text = f"After the cancel of run {run.number} {problem}."
            violations.append(Violation("abort-visible", text, (cancel.called, left.n)))
    return judged(occasions, violations)


def _was_cut(facts: Facts, run: RunFacts, cancel: Cancel, request: RequestMade) -> bool:
    """Whether the cancel cut an answer that had begun, or calls that had not been answered.

    Where only calls count, those of an answer do that had finished before: a call in a cut stream
    never was one.
    """
    chunks = facts.taken(run.number, request.request)
    ended = {tool.call_id for tool in facts.trace.of(ToolEnded) if tool.n < cancel.called}
    open_calls = {chunk.call_id for chunk in chunks if chunk.kind == "args"} - ended
    if facts.contract.cancel_marker_when == "calls-cut":
        return bool(open_calls) and facts.natural_end(request, cancel.called) is not None
    before = min(cancel.effective, run.over)
    return bool(open_calls) or (bool(chunks) and facts.natural_end(request, before) is None)


def _hidden(facts: Facts, request: RequestMade, left: Heard) -> str:
    """What keeps the model from seeing that the turn was cut; "" if it sees it."""
    if any(fault.kind == "unanswered" for fault in left.faults):
        return "the next history holds a call without a result"
    added = left.messages[len(request.messages) :]
    if _marked(facts.contract, added) or _said(facts, request, added[: -1 if left.sent else None]):
        return ""
    return "nothing in the next history shows that the turn was cut"


def _marked(contract: Contract, added: Sequence[Message]) -> bool:
    """Whether a declared mark stands in the messages; an abort may count as a failure."""
    declared = map(contract.text_in, ("cancel_marker", "cut_mark", "failed_final"))
    return any(mark in message.text for mark in declared if mark for message in added)


def _said(facts: Facts, request: RequestMade, added: Sequence[Message]) -> bool:
    """Whether words for a stop stand in the messages that the model did not say."""
    chunks = facts.taken(request.run, request.request)
    said = "".join(chunk.text for chunk in chunks if chunk.kind == "text")
    own = (
        message.text if message.role != "assistant" else message.text.replace(said, "")
        for message in added
    )
    return any(_CUT.search(text) for text in own)


RULES = (
    Rule(
        id="no-empty-message",
        tier="declared",
        family="history",
        sentence="No empty assistant message is added to the history.",
        check=nothing_empty,
        needs=("cut_message",),
        why=(
            "An answer that was ended early, filtered or refused leaves a message without content, "
            "and most providers refuse every later request that holds it. An agent that declares "
            "that it empties the cut message, leaves an empty one after a failure, or keeps an "
            "answer in which there is nothing, may do so there and nowhere else."
        ),
        good="stream ends without a chunk | next request: user, user",
        bad="stream ends without a chunk | next request: user, assistant(), user",
    ),
    Rule(
        id="abort-visible",
        tier="declared",
        family="history",
        sentence=(
            "After a cancelled turn the next request leaves no call open and shows, by a marker or "
            "by the text of a result, that the turn was cut."
        ),
        check=cut_is_told,
        needs=("abort_visible",),
        why=(
            "A model that does not see the stop takes the work for unfinished and does it again, "
            "side effects included, although the next prompt is about something else. The mark is "
            "the declared one or any wording for a stop that the model did not stream itself. "
            "Agents that declare abort_visible: no are not judged."
        ),
        good='deploy runs | cancel | next request: call deploy, result "interrupted by the user"',
        bad="deploy runs | cancel | next request: nothing of it",
    ),
)
