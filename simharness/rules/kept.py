"""Rules about what an interrupted or failed stream leaves in the history."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from simharness.contract import Contract
from simharness.rules.asked import given_up, told_at
from simharness.rules.conversation import Heard, after_run, assistants, heard
from simharness.rules.reading import NEVER, Cancel, Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule
from simharness.trace import (
    ChunkTaken,
    Message,
    RequestMade,
    Shown,
    StreamClosed,
    TerminalTaken,
    Trace,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "failed_content", "kept_prefix"]

_KEEPS = {"kept", "text-only"}


@attrs.frozen
class _Cut:
    """One text of a cut stream: what the consumer had seen, what is kept, what the agent had."""

    what: str
    shown: str
    kept: str
    taken: str


def kept_prefix(trace: Trace, contract: Contract) -> Judgement:
    """Judge that the kept part of a cut stream lies between what was shown and what was taken."""
    if contract.cut_message is None:
        return NOTHING
    facts = read(trace, contract)
    occasions = 0
    violations = []
    for run, cancel in facts.cancelled():
        request = _cut_request(facts, run, cancel)
        mixed = run.queued or facts.overlaps(run)  # another run's answers stand in that history
        left = None if request is None or mixed else after_run(facts, run)
        if request is None or left is None:
            continue
        for cut in _cuts(facts, cancel, request, left):
            if cut.taken.strip() or cut.kept.strip():
                occasions += 1
                text = _misfit(cut, contract.cut_message)
                if text:
                    where = f"After the cancel of run {run.number} {text}"
                    evidence = (cancel.called, left.n)
                    violations.append(Violation("delivered-prefix-kept", where, evidence))
    return Judgement(occasions, tuple(violations)) if occasions else NOTHING


def _cut_request(facts: Facts, run: RunFacts, cancel: Cancel) -> RequestMade | None:
    """The request whose stream was open when the cancel was called, or had just been finished.

    What was shown of a finished message is owed all the more by an agent that keeps a cut one. Of
    any other end before the cancel took effect nothing is known: who was first decides.
    """
    request = run.request_at(cancel.called)
    if request is None or _let_go_before(facts, request, cancel):
        return None
    end = facts.natural_end(request, min(cancel.effective, run.over))
    return request if end is None or _owed(facts.contract, end) else None


def _let_go_before(facts: Facts, request: RequestMade, cancel: Cancel) -> bool:
    """Whether a stream was over for the agent when somebody cancelled, and not by its own end.

    It had been told to end, for silence or for another one. What it then took of an end may be
    an answer or have been under way.
    """
    told, taken = told_at(facts, request), facts.terminal(request)
    if taken is None or taken.n > cancel.called:
        return _closed(facts, request) < cancel.called
    return told is not None and told < cancel.called


def _closed(facts: Facts, request: RequestMade) -> int:
    """Where the agent closed the stream of a request."""
    closed = facts.trace.of(StreamClosed, request.run)
    return next((one.n for one in closed if one.request == request.request), NEVER)


def _owed(contract: Contract, end: TerminalTaken) -> bool:
    """Whether a message that ended so has to be in the history of an agent that keeps cut ones."""
    if contract.cut_message not in _KEEPS or end.kind != "finish":
        return False
    with_calls = end.detail == "tool_calls" and contract.unstarted_call == "answered"
    return end.detail == "stop" or with_calls


def _cuts(facts: Facts, cancel: Cancel, request: RequestMade, left: Heard) -> list[_Cut]:
    """The visible text of the cut stream and, where it is promised, its reasoning."""
    before = len(assistants(request.messages))
    kept = assistants(left.messages)[before:]
    mark = _mark(facts.contract)
    chunks = facts.taken(request.run, request.request)
    shown = [
        shown
        for shown in facts.trace.of(Shown, request.run)
        if shown.request == request.request
        and facts.begun_anew(request.run, request.request) < shown.n < cancel.called
    ]
    text = _Cut(
        "text",
        "".join(s.text for s in shown if not s.reasoning),
        "".join(_unmarked(message.text, mark) for message in kept),
        "".join(c.text for c in chunks if c.kind == "text"),
    )
    if facts.contract.cut_message == "text-only":
        return [text]
    reasoning = _Cut(
        "reasoning",
        "".join(s.text for s in shown if s.reasoning),
        "".join(message.reasoning for message in kept),
        "".join(c.text for c in chunks if c.kind == "reasoning"),
    )
    return [text, reasoning]


def _misfit(cut: _Cut, declared: str) -> str:
    """What is wrong with the kept text; "" if nothing. Blanks at its ends are not looked at."""
    shown, kept, taken = cut.shown.strip(), cut.kept.strip(), cut.taken.strip()
    if declared not in _KEEPS:
        if not kept:
            return ""
        return f"{cut.what} of the cut stream is kept, although the cut message is {declared}."
    if shown and not kept:
        return f"the {cut.what} that had been shown is lost."
    if not kept.startswith(shown):
        return f"the kept {cut.what} is less than what had been shown."
    if not taken.startswith(kept):
        return f"the kept {cut.what} is not a prefix of what the agent had taken."
    return ""


def _mark(contract: Contract) -> str:
    """The text by which the agent marks a cut message; "" if it uses none."""
    declared = contract.cut_mark or ""
    return declared[5:-1] if declared.startswith("text(") and declared.endswith(")") else ""


def _unmarked(text: str, mark: str) -> str:
    return text.replace(mark, "", 1) if mark else text


@attrs.frozen
class _Void:
    """What a stream sent that does not count: the attempt failed, was given up, or began anew.

    `n` is the record behind which no history may hold it.
    """

    where: str
    n: int
    text: str
    calls: frozenset[str]


def failed_content(trace: Trace, contract: Contract) -> Judgement:
    """Judge that what an attempt had streamed that did not count is in no later request."""
    if contract.error_content != "dropped":
        return NOTHING
    facts = read(trace, contract)
    void, dead = _void(facts)
    if not void:
        return NOTHING
    alive = [key for key in {(r.run, r.request) for r in trace.of(RequestMade)} if key not in dead]
    texts = [_text_of(facts.taken(*key)) for key in alive]
    calls = {c.call_id for key in alive for c in facts.taken(*key) if c.kind == "args"}
    occasions = 0
    violations = []
    for one in void:
        later = [history for history in heard(facts) if history.n > one.n]
        if not later:
            continue
        occasions += 1
        found = _remains(facts, one, later, texts, calls)
        if found is not None:
            violations.append(found)
    return Judgement(occasions, tuple(violations)) if occasions else NOTHING


def _void(facts: Facts) -> tuple[list[_Void], set[tuple[int, int]]]:
    """All that was streamed in vain, and the streams of which nothing counts."""
    found = []
    dead = set()
    for request in facts.trace.of(RequestMade):
        where = f"request {request.request} of run {request.run}"
        terminal = facts.terminal(request)
        chunks = facts.taken(request.run, request.request)
        if terminal is not None and _failed(facts, terminal):
            dead.add((request.run, request.request))
            found.append(_vain(f"the failed {where}", terminal.n, chunks))
        elif given_up(facts, request):
            dead.add((request.run, request.request))
            found.append(_vain(f"{where}, which was given up,", request.n, chunks))
        anew = facts.begun_anew(request.run, request.request)
        if anew:
            before = [
                chunk
                for chunk in facts.trace.of(ChunkTaken, request.run)
                if chunk.request == request.request and chunk.n < anew
            ]
            found.append(_vain(f"{where}, which began anew,", anew, before))
    return [one for one in found if one.text or one.calls], dead


def _vain(where: str, n: int, chunks: Sequence[ChunkTaken]) -> _Void:
    calls = frozenset(chunk.call_id for chunk in chunks if chunk.kind == "args")
    return _Void(where, n, _text_of(chunks).strip(), calls)


def _text_of(chunks: Sequence[ChunkTaken]) -> str:
    return "".join(chunk.text for chunk in chunks if chunk.kind == "text")


def _failed(facts: Facts, terminal: TerminalTaken) -> bool:
    """Whether the attempt failed by itself: no finish, and nobody had cancelled."""
    if terminal.answering or terminal.kind == "finish":
        return False
    if terminal.kind == "close" and facts.contract.silent_close != "failed":
        return False
    run = facts.runs.get(terminal.run)
    if run is None or run.replaced:
        return False
    return not any(cancel.called < terminal.n for cancel in run.cancels)


def _remains(
    facts: Facts, void: _Void, later: list[Heard], texts: list[str], calls: set[str]
) -> Violation | None:
    """The first later history that holds text or a call that does not count."""
    for one in later:
        for message in assistants(one.messages):
            if void.text and _holds(message, void.text, texts, _mark(facts.contract)):
                text = f"The text of {void.where} is in a later history."
                return Violation("error-content-dropped", text, (void.n, one.n))
            if any(call.id in void.calls - calls for call in message.calls):
                text = f"A tool call of {void.where} is in a later history."
                return Violation("error-content-dropped", text, (void.n, one.n))
    return None


def _holds(message: Message, streamed: str, texts: list[str], mark: str) -> bool:
    """Whether the message holds the failed text, or begins it, and no other stream sent that."""
    text = _unmarked(message.text, mark).strip()
    if not text or any(text in other for other in texts):
        return False
    return text.startswith(streamed) or (len(text) > 1 and streamed.startswith(text))


RULES = (
    Rule(
        id="delivered-prefix-kept",
        tier="declared",
        family="history",
        sentence=(
            "After a cancel the kept part of the cut stream is at least what had been shown and at "
            "most what the agent had taken; an agent that declares that it drops the cut message "
            "keeps nothing of it."
        ),
        check=kept_prefix,
        needs=("cut_message",),
        why=(
            "The user has read two sentences and stops the run; then the agent remembers nothing "
            "of them, or it remembers text that nobody saw. Either way the user and the model talk "
            "about different conversations. Some systems drop the cut message on purpose, so each "
            "agent is judged by what it declares."
        ),
        good='shown "One. Two. " | cancel | next request holds "One. Two. "',
        bad='shown "One. Two. " | cancel | next request holds nothing of it',
    ),
    Rule(
        id="error-content-dropped",
        tier="declared",
        family="history",
        sentence=(
            "Content of an attempt that failed, was retried or given up, or that its stream took "
            "back, is in no later request."
        ),
        check=failed_content,
        needs=("error_content",),
        why=(
            "A stream breaks after half an answer and is tried again. If the half answer stays, "
            "the history holds it twice or holds a sentence that the provider took back. The rule "
            "only judges agents that promise to drop it."
        ),
        good='attempt 1 "Hel" error | attempt 2 "Hello" | next request holds "Hello"',
        bad='attempt 1 "Hel" error | attempt 2 "Hello" | next request holds "HelHello"',
    ),
)
