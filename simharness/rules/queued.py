"""Rules about what a user says while the agent works: steering, follow-ups, waiting prompts.

When a prompt may run beside another is judged in `flight`.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from simharness.contract import Contract
from simharness.rules.asked import taken_actions
from simharness.rules.reading import NEVER, Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.rules.terminals import reported
from simharness.trace import (
    ActionTaken,
    HistoryRead,
    InputRejected,
    LoopError,
    Message,
    Notice,
    Outcome,
    PromptCalled,
    RequestMade,
    ToolEnded,
    ToolStarted,
    Trace,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "conserved", "progress", "seen_in_time"]


@attrs.frozen
class _Said:
    """Something a user said beside a prompt. `run` was in progress; None: the agent was idle."""

    verb: str
    text: str
    n: int
    run: RunFacts | None


def _said(facts: Facts) -> list[_Said]:
    """All steering and follow-up messages, in order, but those that a kill may have taken along."""
    found = []
    for action in facts.trace.of(ActionTaken):
        verb = action.action.partition(" ")[0]
        gone = any(kill.n > action.n for kill in facts.reloads)
        if verb in {"steer", "follow_up"} and action.text and not gone:
            open_runs = (r for r in facts.runs.values() if r.prompted < action.n < r.over)
            run = next(open_runs, None)  # of several prompts the first is at work
            found.append(_Said(verb, action.text, action.n, run))
    return found


def _holds(messages: Sequence[Message], text: str) -> int:
    """How many messages that are not the model's hold `text`."""
    return sum(message.role != "assistant" and text in message.text for message in messages)


def _stopped(run: RunFacts | None) -> bool:
    return run is not None and bool(run.cancels or run.graceful or run.left)


# --- steer-conserved ----------------------------------------------------------------------------


def conserved(trace: Trace, contract: Contract) -> Judgement:
    """Judge that each message ends in one place: transcript, queue, or an explicit refusal."""
    if contract.steering is None:
        return NOTHING
    facts = read(trace, contract)
    occasions = 0
    violations = []
    for said in _said(facts):
        times = _spoken(facts, said.text)
        refused = _refused(facts, said)
        histories = _histories(facts, since=refused)
        kept = max((_holds(messages, said.text) for messages in histories), default=0)
        waits = not kept and not refused and not _due(facts, said)
        if waits:
            continue
        occasions += 1
        spoken = _most_spoken(histories, said.text)
        if spoken > times:
            problem = "stands in the history more than once"
        elif spoken == times == 1 and refused:
            problem = "stands in the history, although it was refused"
        elif not kept and not refused:
            problem = "is in no history, was not refused, and waits no more"
        else:
            continue
        text = f"What the user said by {said.verb} {problem}."
        violations.append(Violation("steer-conserved", text, (said.n,)))
    return judged(occasions, violations)


def _most_spoken(histories: list[tuple[Message, ...]], text: str) -> int:
    """How often one history holds `text` outside of results, in which it may stand by chance."""
    spoken = ([one for one in messages if one.role != "tool"] for messages in histories)
    return max((_holds(messages, text) for messages in spoken), default=0)


def _spoken(facts: Facts, text: str) -> int:
    """How often the user said `text`, prompts included."""
    prompts = [prompt.text for prompt in facts.trace.of(PromptCalled)]
    actions = [said.text for said in _said(facts)]
    return sum(text in one for one in prompts + actions)


def _histories(facts: Facts, *, since: int) -> list[tuple[Message, ...]]:
    """All histories; if a message was taken back, only those behind that."""
    requests = [request.messages for request in facts.trace.of(RequestMade) if request.n > since]
    return requests + [shown.messages for shown in facts.trace.of(HistoryRead) if shown.n > since]


def _refused(facts: Facts, said: _Said) -> int:
    """Where the user was told that the message goes nowhere, by notice or exception; else 0."""
    notices = [(notice.n, notice.text) for notice in facts.trace.of(Notice)]
    notices += [(rejected.n, rejected.reason) for rejected in facts.trace.of(InputRejected)]
    told = [n for n, text in notices if n > said.n and said.text in text]
    told += [e.n for e in facts.trace.of(LoopError) if said.n < e.n <= said.n + 2]
    return min(told, default=0)


def _due(facts: Facts, said: _Said) -> bool:
    """Whether a later run has completed, so that nothing may wait any more.

    An agent that drops or parks its queue on a cancel may have done so; one that is shut down has
    no later run.
    """
    if _stopped(said.run) and facts.contract.queue_on_cancel in {"drop", "park"}:
        return False
    if any(taken_actions(facts.trace, "shutdown", "dispose")):
        return False
    return any(
        run.prompted > said.n
        and run.requests
        and not (run.session or _stopped(run))
        and _completed(run)
        for run in facts.runs.values()
    )


def _completed(run: RunFacts) -> bool:
    """Whether a run came to its end by itself, as far as the agent says."""
    outcomes = reported(run)
    if outcomes:
        return all(outcome is Outcome.COMPLETED for outcome, _ in outcomes)
    return run.settled is not None and run.settled.how == "returned"


# --- steer-latency ------------------------------------------------------------------------------


def seen_in_time(trace: Trace, contract: Contract) -> Judgement:
    """Judge that steering is seen at the next tool boundary, or with the next turn."""
    if contract.steering is None:
        return NOTHING
    facts = read(trace, contract)
    occasions = 0
    violations = []
    steering = [said for said in _said(facts) if said.verb == "steer"]
    for place, said in enumerate(steering):
        boundary = _boundary(facts, said)
        if boundary is None or said.run is None or _in_line(said, steering[:place], boundary.n):
            continue
        occasions += 1
        later = [request for request in said.run.requests if request.n > boundary.n]
        seen = later[0].n if later else facts.length
        started = [
            tool
            for tool in trace.of(ToolStarted, said.run.number)
            if boundary.n < tool.n < seen and contract.steering == "next-boundary"
        ]
        if started:
            text = f"Tool {started[0].name} was started before the steering message was seen."
            violations.append(Violation("steer-latency", text, (said.n, started[0].n)))
        elif later and not _holds(later[0].messages, said.text):
            text = "The request after a tool boundary does not hold the steering message."
            violations.append(Violation("steer-latency", text, (said.n, later[0].n)))
    return judged(occasions, violations)


def _in_line(said: _Said, before: list[_Said], n: int) -> bool:
    """Whether an earlier message waits at record `n` too: some agents hear one at a time."""
    return any(
        one.run is said.run
        and not any(
            one.n < request.n < n and _holds(request.messages, one.text)
            for request in (said.run.requests if said.run is not None else ())
        )
        for one in before
    )


def _boundary(facts: Facts, said: _Said) -> ToolEnded | None:
    """The first end of a tool behind the message, in the run that it was meant for.

    None if it was heard before that.
    """
    run = said.run
    if run is None or run.session or _stopped(run):
        return None
    ends = facts.trace.of(ToolEnded, run.number)
    end = next((end for end in ends if end.n > said.n), None)
    if end is None:
        return None
    last = run.request_at(said.n)
    before = 0 if last is None else _holds(last.messages, said.text)
    asked = (request for request in run.requests if said.n < request.n < end.n)
    heard = any(_holds(request.messages, said.text) > before for request in asked)
    return None if heard else end


# --- queue-progress -----------------------------------------------------------------------------


def progress(trace: Trace, contract: Contract) -> Judgement:
    """Judge that what is queued runs once the run in front of it is over."""
    if contract.queue_on_cancel is None:
        return NOTHING
    facts = read(trace, contract)
    occasions = 0
    violations = []
    for said in _said(facts):
        if said.verb == "follow_up" and said.run is not None and _goes_on(facts, said.run, said.n):
            if _refused(facts, said):
                continue
            occasions += 1
            if not _runs_before_the_next_prompt(facts, said.run, said):
                if said.run.cancels and _displayed(facts, said):
                    continue  # its own turn was cancelled, before the model was asked
                text = f"A follow-up stays in the queue after the end of run {said.run.number}."
                evidence = (said.n, min(said.run.over, facts.length - 1))
                violations.append(Violation("queue-progress", text, evidence))
    for run, later in _waiting_prompts(facts):
        occasions += 1
        served = later.requests or _limited(later)
        if not served and not _turned_away(facts, run, later):
            text = f"The queued prompt of run {later.number} is never asked of the model."
            evidence = (later.prompted, min(run.over, facts.length - 1))
            violations.append(Violation("queue-progress", text, evidence))
    return judged(occasions, violations)


def _goes_on(facts: Facts, run: RunFacts, said: int) -> bool:
    """Whether what was said in record `said` has to run after the end of `run`.

    After a failure or at a limit agents may leave it; after a cancel they say what they do. What is
    said when a cancelled run has told of its end already may wait like what is said to an idle one.
    """
    if run.settled is None or run.left or run.graceful or run.session:
        return False  # what is said goes to the conversation, not to a run beside it
    if any(taken_actions(facts.trace, "shutdown", "dispose", "quiesce")):
        return False
    if not run.cancels:
        return _completed(run)
    if facts.contract.queue_on_cancel == "per-cancel":
        notices = facts.trace.of(Notice, run.number)
        by_task = any(cancel.way == "TASK" for cancel in run.cancels)
        told = any(end.n < said for end in run.ends)
        left = any(one.kind in {"parked", "dropped"} for one in notices)
        return not (by_task or told or left)
    return facts.contract.queue_on_cancel == "run"


def _runs_before_the_next_prompt(facts: Facts, run: RunFacts, said: _Said) -> bool:
    following = facts.next_run(run)
    end = facts.length if following is None else following.prompted
    return any(
        said.n < request.n < end and _holds(request.messages, said.text)
        for request in facts.trace.of(RequestMade)
    )


def _displayed(facts: Facts, said: _Said) -> bool:
    return any(
        said.n < shown.n and _holds(shown.messages, said.text)
        for shown in facts.trace.of(HistoryRead)
    )


def _waiting_prompts(facts: Facts) -> list[tuple[RunFacts, RunFacts]]:
    """The prompts that were queued behind a run, and are not cancelled themselves."""
    stops = any(taken_actions(facts.trace, "shutdown", "dispose", "quiesce"))
    if facts.contract.second_prompt != "queue" or stops:
        return []
    return [
        (run, later)
        for later in facts.runs.values()
        for run in facts.runs.values()
        if run.prompted < later.prompted < run.over
        and run.session == later.session
        and not _stopped(later)
        and not facts.trace.of(InputRejected, later.number)
        and run.settled is not None
        and later.killed == NEVER
        and not _kept_waiting(facts, later)
    ]


def _kept_waiting(facts: Facts, later: RunFacts) -> bool:
    """Whether a run in front of a waiting prompt is at work and does not come to its end."""
    return any(
        run.session == later.session
        and run.prompted < later.prompted
        and run.requests
        and run.over == NEVER
        for run in facts.runs.values()
    )


def _limited(run: RunFacts) -> bool:
    """Whether a run came to a limit, as the agent reports it: it had its turn."""
    return any(outcome is Outcome.LIMIT for outcome, _ in reported(run))


def _turned_away(facts: Facts, run: RunFacts, later: RunFacts) -> bool:
    """Whether a waiting prompt was refused because of a cancel, which its caller was told."""
    if not run.cancels or facts.contract.queue_on_cancel == "run":
        return False
    return later.settled is not None and later.settled.how == "raised"


RULES = (
    Rule(
        id="steer-conserved",
        tier="declared",
        family="liveness",
        sentence=(
            "Each steering or follow-up message ends in exactly one place: in the transcript, in "
            "the queue, or explicitly refused."
        ),
        check=conserved,
        needs=("steering",),
        why=(
            "A message that is taken from the queue and then meets a cancel, or comes when the "
            "queue was looked at for the last time, is easily lost, and the user sees it as sent. "
            "The opposite, injected twice, makes the model do things twice. A message that no "
            "completed run followed may still be waiting and is not judged."
        ),
        good='steer "b" during a tool | cancel | next request: user "a", ..., user "b"',
        bad='steer "b" during a tool | cancel | next request: user "a", ...',
    ),
    Rule(
        id="steer-latency",
        tier="declared",
        family="liveness",
        sentence=(
            "A steering message is seen at the next tool boundary (next-boundary) or with the next "
            "turn (next-turn), as declared."
        ),
        check=seen_in_time,
        needs=("steering",),
        why=(
            "Users steer because the agent is about to do the wrong thing. If the message is read "
            "only when the whole batch of tools is done, the wrong thing is done. The boundary is "
            "the first end of a tool behind the message; after it no further tool starts, and the "
            "next request holds the message. Of several that wait only the first is judged."
        ),
        good='tool 1 of 3 runs | steer "b" | tool 1 ends | request 2 holds "b"',
        bad='tool 1 of 3 runs | steer "b" | tool 1 ends | tool 2 starts',
    ),
    Rule(
        id="queue-progress",
        tier="declared",
        family="liveness",
        sentence=(
            "What is queued runs once the run in front of it has ended, after a cancel as the "
            "agent declares."
        ),
        check=progress,
        needs=("queue_on_cancel",),
        why=(
            "The queue is looked at for the last time, then the run ends; what was queued between "
            "the two waits until the user happens to say something else. Or a gate that is closed "
            "by an error is never opened again. An agent that drops or parks its queue on a cancel "
            "is not asked to run it then."
        ),
        good='last answer streams | follow_up "b" | request 2 holds "b" | run settles',
        bad='last answer streams | follow_up "b" | run settles | nothing happens',
    ),
)
