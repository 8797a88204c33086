"""Rules that compare what was delivered, kept and counted: deltas, views, outcomes."""

from __future__ import annotations

from collections.abc import Sequence

from simharness.contract import Contract
from simharness.rules.asked import all_cancelled, given_up, told_at
from simharness.rules.conversation import (
    Heard,
    StrictProvider,
    assistants,
    between_runs,
    next_history,
)
from simharness.rules.reading import NEVER, Facts, RunFacts, read
from simharness.rules.rule import Rule, judged
from simharness.rules.stored import loads
from simharness.rules.terminals import reported
from simharness.trace import (
    ActionTaken,
    ContextCompacted,
    HookCalled,
    LogRow,
    Message,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    Outcome,
    ProviderRetry,
    RequestMade,
    Shown,
    StreamEnd,
    Trace,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "conserved", "observers"]

_BOUNDARIES = (ProviderRetry, StreamEnd, MessageEnd, MessageStart)


def _flat(text: str) -> str:
    """Text without blanks: how an agent joins its blocks is its own business."""
    return "".join(text.split())


def conserved(trace: Trace, contract: Contract) -> Judgement:
    """Judge that the deltas of a finished message, joined, are that message, each chunk once."""
    shown = trace.of(Shown)
    if not shown:
        return _handed_to_nobody(trace)
    facts = read(trace, contract)
    texts: dict[tuple[int, int], str] = {}
    for record in shown:
        if not record.reasoning and record.n > facts.begun_anew(record.run, record.request):
            key = (record.run, record.request)
            texts[key] = texts.get(key, "") + record.text
    occasions = 0
    violations: list[Violation] = []
    for run in facts.runs.values():
        if run.left or run.cancels or run.queued:
            continue
        for request in run.requests:
            text = _flat(texts.get((run.number, request.request), ""))
            final = _final(facts, run, request) if text else None
            if final is None:
                continue
            occasions += 1
            problem = _difference(facts, run, text, _flat(final[0].text))
            if problem:
                words = f"In run {run.number}, request {request.request}, {problem}."
                evidence = (request.n, final[1].n)
                violations.append(Violation("chunk-conservation", words, evidence))
        found = _replayed(facts, run, texts)
        occasions += len(found)
        violations += found
    violations += _late_text(facts, shown)
    return judged(occasions or len(violations), violations)


def _handed_to_nobody(trace: Trace) -> Judgement:
    """Judge a trial in which nothing was shown: the agent reports no update either."""
    updates = [one for one in trace.of(MessageUpdate) if one.text and not one.derived]
    violations = [
        Violation(
            "chunk-conservation",
            f'In run {one.run} the update "{one.text}" was reported, and nothing was ever shown.',
            (one.n,),
        )
        for one in updates[:1]
    ]
    return judged(len(updates), violations)


def _final(facts: Facts, run: RunFacts, request: RequestMade) -> tuple[Message, Heard] | None:
    """The message that a finished stream became, as the next request of the conversation has it.

    None also where two runs went on at once: which message is whose is then not known. A stream
    that was told to end before, for silence say, may have been given up for good.
    """
    terminal = facts.terminal(request)
    if terminal is None or terminal.kind != "finish" or terminal.detail not in _PLAIN:
        return None
    if facts.overlaps(run) or (told_at(facts, request) or NEVER) < terminal.n:
        return None
    one = next_history(facts, run, request.n)
    if one is None or not one.sent:
        return None
    place = sum(message.role == "assistant" for message in request.messages)
    found = assistants(one.messages)
    return (found[place], one) if place < len(found) else None


_PLAIN = {"stop", "tool_calls"}
_View = list[tuple[int, Message]]
"""Answers and results as a client has them, each with the record that told it."""


def _started_with(trace: Trace, run: RunFacts) -> set[str]:
    """Text that consumers were given with the start of a message."""
    starts = trace.of(MessageStart, run.number)
    return {_flat(start.message.text) for start in starts if start.message.role == "assistant"}


def _difference(facts: Facts, run: RunFacts, shown: str, final: str) -> str:
    """What is wrong with the joined deltas; "" if nothing."""
    if shown == final or any(start + shown == final for start in _started_with(facts.trace, run)):
        return ""
    if shown in final:
        return "not all of the final message had been shown"
    if final in shown:
        return "more was shown than the final message holds"
    return "what was shown is not the final message"


def _late_text(facts: Facts, shown: Sequence[Shown]) -> list[Violation]:
    """Text of a stream that had been given up, and was shown behind that."""
    found = []
    for request in facts.trace.of(RequestMade):
        if not given_up(facts, request):
            continue
        told = told_at(facts, request) or NEVER
        late = [one for one in shown if (one.run, one.request) == (request.run, request.request)]
        found += [
            Violation(
                "chunk-conservation",
                f"In run {request.run} text of a stream was shown that had been given up.",
                (told, one.n),
            )
            for one in late
            if one.n > told
        ]
    return found


def _replayed(facts: Facts, run: RunFacts, texts: dict[tuple[int, int], str]) -> list[Violation]:
    """Attempts whose text the consumer saw joined to that of a failed one, without a boundary."""
    declared = facts.contract.retry_after_visible_output
    if declared not in {"never", "with-boundary"}:
        return []
    found = []
    for before, request in zip(run.requests, run.requests[1:], strict=False):
        terminal = facts.terminal(before)
        if terminal is None or terminal.kind == "finish" or given_up(facts, before):
            continue
        both = [texts.get((run.number, one.request), "").strip() for one in (before, request)]
        if not all(both) or before.messages != request.messages:
            continue
        between = facts.trace.between(terminal.n, request.n)
        if declared == "never" or not any(isinstance(r, _BOUNDARIES) for r in between):
            text = f"In run {run.number} a retry was shown behind the text of the failed attempt."
            found.append(Violation("chunk-conservation", text, (terminal.n, request.n)))
    return found


def observers(trace: Trace, contract: Contract) -> Judgement:
    """Judge that all channels name one outcome, and that events alone give the history."""
    facts = read(trace, contract)
    occasions = 0
    violations: list[Violation] = []
    for run in facts.runs.values():
        if run.left:
            continue
        outcomes = _latest(run, reported(run))
        begun, end = _last_part(run)
        rows = [r for r in trace.of(LogRow, run.number) if not r.derived and begun < r.n < end]
        if len(outcomes) + bool(rows) > 1 and not _cancelled_behind_end(facts, run):
            occasions += 1
            found = _disagreeing(run, outcomes, rows) or _contradicted(facts, run, outcomes)
            violations += found or _cut_and_logged_as_success(facts, run, outcomes, rows)
    if {"message", "attempt"} <= contract.reports:
        folded = _folded(facts)
        occasions += folded[0]
        violations += folded[1]
    return judged(occasions, violations)


def _latest(run: RunFacts, outcomes: list[tuple[Outcome, int]]) -> list[tuple[Outcome, int]]:
    """The outcomes that are about one end: an agent that works its queue off has several ends."""
    ends = [end for end in run.ends if end.outcome is not None]
    return outcomes[len(ends) - 1 :] if run.queued and len(ends) > 1 else outcomes


def _last_part(run: RunFacts) -> tuple[int, int]:
    """Between which records the log speaks of the latest reported end.

    A run that never settled was at work on something else behind it.
    """
    begun = run.ends[-2].n if run.queued and len(run.ends) > 1 else 0
    return begun, run.ends[-1].n if run.ends and run.settled is None else NEVER


def _cancelled_behind_end(facts: Facts, run: RunFacts) -> bool:
    """Whether a cancel came between the reported end and the return; then both are true."""
    called = [*(cancel.called for cancel in run.cancels), *all_cancelled(facts)]
    return bool(run.ends) and any(run.ends[-1].n < n < run.over for n in called)


def _disagreeing(
    run: RunFacts, outcomes: list[tuple[Outcome, int]], rows: Sequence[LogRow]
) -> list[Violation]:
    numbers = tuple(n for _, n in outcomes)
    names = [outcome for outcome, _ in outcomes]
    first, last = (names[0], names[-1]) if names else (None, None)
    found = []
    if any(name is not first for name in names) and not _same_end(run, names):
        text = f"Run {run.number} is reported as {first} and as {last}."
        found.append(Violation("observers-agree", text, numbers))
    if rows and last is Outcome.COMPLETED:
        latest = max(rows, key=lambda row: (row.attempt, row.n))
        if not latest.success:
            text = f"Run {run.number} is reported as completed, but its last log row as failed."
            found.append(Violation("observers-agree", text, (*numbers, latest.n)))
    return found


def _cut_and_logged_as_success(
    facts: Facts, run: RunFacts, outcomes: list[tuple[Outcome, int]], rows: Sequence[LogRow]
) -> list[Violation]:
    """Whether the last row of a cancelled run takes a stream for finished that the cancel cut."""
    if not rows or not outcomes or outcomes[-1][0] is not Outcome.CANCELLED:
        return []
    latest = max(rows, key=lambda row: (row.attempt, row.n))
    request = run.request_at(latest.n)  # attempts count anew where a queue begins to run
    terminal = None if request is None else facts.terminal(request)
    ended = terminal is not None and (terminal.kind == "finish" or not terminal.answering)
    if ended or latest.reason or not latest.success:
        return []
    text = f"Run {run.number} is reported as cancelled, but the stream it cut is logged as success."
    return [Violation("observers-agree", text, (outcomes[-1][1], latest.n))]


def _contradicted(
    facts: Facts, run: RunFacts, outcomes: list[tuple[Outcome, int]]
) -> list[Violation]:
    """What hooks and the history say of a run whose end is reported in one way."""
    if not outcomes or run.queued or facts.overlaps(run):
        return []
    last, n = outcomes[-1]
    stopped = min((cancel.called for cancel in run.cancels), default=NEVER)
    failed = [
        hook
        for hook in facts.trace.of(HookCalled, run.number)
        if hook.name == "on_error" and hook.n < stopped
    ]
    found = []
    if failed and last in {Outcome.COMPLETED, Outcome.LIMIT}:
        text = f"Run {run.number} is reported as {last}, but to the error hook as failed."
        found.append(Violation("observers-agree", text, (failed[0].n, n)))
    kept = [end.message for end in facts.trace.of(MessageEnd, run.number) if not end.discarded]
    answers = [message for message in kept if message.role == "assistant"]
    if answers and answers[-1].interrupted and last is Outcome.COMPLETED:
        text = f"Run {run.number} is reported as completed, but its last message as interrupted."
        found.append(Violation("observers-agree", text, (n,)))
    return found


def _same_end(run: RunFacts, names: list[Outcome]) -> bool:
    """Whether an exception stands for a limit or a rejection, for which it has no other word."""
    raised = run.settled is not None and run.settled.how == "raised"
    rest = set(names) - {Outcome.FAILED}
    return raised and len(rest) == 1 and rest <= {Outcome.LIMIT, Outcome.REJECTED}


def _folded(facts: Facts) -> tuple[int, list[Violation]]:
    """Compare the history with the view of a client that saw only the message events."""
    trace = facts.trace
    edited = bool(trace.of(ContextCompacted)) or bool(trace.of(ActionTaken))
    rolled_back = facts.contract.second_prompt == "rollback"
    if edited or rolled_back or len(_sessions(facts)) > 1:
        return 0, []
    views = _views(facts)
    if not views:
        return 0, []
    occasions = 0
    for one in between_runs(facts):
        occasions += 1
        kept = [message for message in one.messages if message.role in _ANSWERS]
        if not any(_is_seen(facts, kept, view, one.n) for view in views):
            text = f"The events give another conversation than {one.place} holds."
            return occasions, [Violation("observers-agree", text, (one.n,))]
    return occasions, []


def _views(facts: Facts) -> list[_View]:
    """The views of a client, whether or not it had to load what the session held at the beginning.

    There is none if what was loaded was mended, nobody knows where, or was not what the store held.
    """
    told = [
        (end.n, end.message)
        for end in facts.trace.of(MessageEnd)
        if not (end.derived or end.discarded) and end.message.role in _ANSWERS
    ]
    first = next(iter(loads(facts)), None)
    if first is None or first.loaded is None:
        return [told]
    if first.loaded.error or first.memory != first.store or StrictProvider(first.store).faults:
        return []
    held = [(first.n, message) for message in first.store if message.role in _ANSWERS]
    views = [[*held, *(one for one in told if one[0] > first.n)]]
    if [_key(message) for _, message in told[: len(held)]] == [
        _key(message) for _, message in held
    ]:
        views.append(told)  # the agent has told of it as well
    return views


def _is_seen(facts: Facts, kept: list[Message], view: _View, n: int) -> bool:
    """Whether a view is, at record `n`, what was kept."""
    seen = [message for told, message in view if told < n]
    if facts.contract.unstarted_call == "round-dropped":
        seen = _whole_rounds(seen)
    return kept == seen or list(map(_key, kept)) == list(map(_key, seen))


def _whole_rounds(messages: Sequence[Message]) -> list[Message]:
    """`messages` without the answers that have a call without a result, and their results."""
    kept: list[Message] = []
    begun, open_calls = 0, set[str]()
    for message in messages:
        if message.role == "assistant":
            del kept[begun if open_calls else len(kept) :]
            begun, open_calls = len(kept), {call.id for call in message.calls}
        open_calls.discard(message.call_id)
        kept.append(message)
    return kept[:begun] if open_calls else kept


_ANSWERS = {"assistant", "tool"}


def _sessions(facts: Facts) -> set[str]:
    return {run.session for run in facts.runs.values()}


def _key(message: Message) -> tuple[str, str, str, tuple[str, ...]]:
    return message.role, message.text, message.call_id, tuple(call.id for call in message.calls)


RULES = (
    Rule(
        id="observers-agree",
        tier="core",
        family="events",
        sentence=(
            "Every channel that reports the end of a run names the same outcome, and where all "
            "messages and discards are reported, events alone give the history."
        ),
        check=observers,
        why=(
            "One listener sees completed, the caller gets an exception, the log says success: "
            "whoever acts on one of them acts wrongly. And a client that only follows the events "
            "must end up with the conversation that the next request holds."
        ),
        good="AgentEnd cancelled | prompt() ends as cancelled",
        bad="AgentEnd completed | prompt() raises",
    ),
    Rule(
        id="chunk-conservation",
        tier="core",
        family="events",
        sentence=(
            "The deltas shown of a finished message, joined, are the final message, each chunk "
            "once; a retry after visible output follows the declared policy."
        ),
        check=conserved,
        why=(
            "A retry in the middle of a stream shows the beginning again, a buffer is flushed "
            "twice, the first chunk is swallowed with the opening. The user then reads another "
            "text than the one that the model will remember."
        ),
        good='shown "Hel" "lo" | final "Hello"',
        bad='shown "Hel" | retry | shown "Hel" "lo" | final "Hello"',
    ),
)
