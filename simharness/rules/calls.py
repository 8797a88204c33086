"""Rules about single tool calls: run once, answered if unknown, not lost with a sibling."""

from __future__ import annotations

from simharness.contract import Contract
from simharness.rules.answers import calls_of, heeded
from simharness.rules.argtext import texts
from simharness.rules.conversation import Heard, after_run, assistants, heard
from simharness.rules.reading import Facts, RunFacts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.trace import (
    ActionTaken,
    Opaque,
    Outcome,
    RequestMade,
    ToolEnded,
    ToolStarted,
    Trace,
)
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "run_once", "siblings_kept", "unknown_answered"]


def run_once(trace: Trace, contract: Contract) -> Judgement:
    """Judge that no call is run more often than the model made it."""
    starts = trace.of(ToolStarted)
    if not starts:
        return NOTHING
    by_id: dict[str, list[ToolStarted]] = {}
    for start in starts:
        if start.call_id:
            by_id.setdefault(start.call_id, []).append(start)
    repeated = {call: found for call, found in by_id.items() if len(found) > 1}
    if not repeated:
        return judged(len(by_id))
    facts = read(trace, contract)
    violations = []
    for call, found in repeated.items():
        if len(found) > _made(facts, call):
            text = f"Call {call} of {found[0].name} was run more than once."
            numbers = tuple(start.n for start in found)
            violations.append(Violation("tool-exec-once", text, numbers))
    return judged(len(by_id), violations)


def _made(facts: Facts, call: str) -> int:
    """How many calls the model made under one id: a repeated preview is the same call again."""
    pieces: dict[tuple[int, int, int], list[str]] = {}
    for chunk in facts.args_taken():
        if chunk.call_id == call:
            pieces.setdefault((chunk.run, chunk.request, chunk.index), []).append(chunk.text)
    finished = [found for place, found in pieces.items() if _finished(facts, place[:2])]
    return max(1, sum(len(texts(found)) for found in finished))


def _finished(facts: Facts, place: tuple[int, int]) -> bool:
    terminal = facts.terminals.get(place)
    return terminal is not None and terminal.kind == "finish"


def unknown_answered(trace: Trace, contract: Contract) -> Judgement:
    """Judge that a call of a tool that was not offered is answered and the loop goes on."""
    facts = read(trace, contract)
    if not facts.args_taken():
        return NOTHING
    occasions = 0
    violations: list[Violation] = []
    for run in facts.runs.values():
        if run.left or run.cancels or run.graceful or run.settled is None or run.replaced:
            continue
        for request in run.requests:
            unknown = {
                call: name
                for call, name in calls_of(facts, request).items()
                if name not in request.tools
            }
            if unknown and request.tools and _goes_on(facts, run, request) and not _as_text(facts):
                occasions += 1
                violations += _unanswered(facts, run, request, unknown)
    return judged(occasions, violations)


def _as_text(facts: Facts) -> bool:
    """Whether the agent sends calls and their results as text, which nobody can pair."""
    sent = [message for one in heard(facts) for message in one.messages]
    structured = any(message.calls or message.role == "tool" for message in sent)
    return not structured and any(isinstance(b, Opaque) for m in sent for b in m.blocks)


def _goes_on(facts: Facts, run: RunFacts, request: RequestMade) -> bool:
    """Whether the response asked for tools and nothing but the unknown one could end the run."""
    terminal = heeded(facts, request)
    if terminal is None or terminal.kind != "finish" or terminal.n > run.over:
        return False
    if terminal.detail not in {"stop", "tool_calls"} or run.queued:
        return False
    outcomes = {end.outcome for end in run.ends}
    raised = any(tool.how != "returned" for tool in facts.trace.of(ToolEnded, run.number))
    return not (outcomes & {Outcome.LIMIT, Outcome.REJECTED} or raised or _acted(facts, run))


def _acted(facts: Facts, run: RunFacts) -> bool:
    return any(run.prompted < action.n < run.over for action in facts.trace.of(ActionTaken))


def _unanswered(
    facts: Facts, run: RunFacts, request: RequestMade, unknown: dict[str, str]
) -> list[Violation]:
    """Whether the next history answers the unknown calls (id to name), whatever it calls them."""
    rule = "bad-tool-answered"
    names = set(unknown.values())
    listed = ", ".join(sorted(names)) or "an empty name"
    later = [one for one in heard(facts) if one.run == run.number and one.n > request.n]
    if not later:
        text = f"Run {run.number} ended on a call of an unknown tool ({listed})."
        return [Violation(rule, text, (request.n, run.over))]
    results = {m.call_id for m in later[0].messages if m.role == "tool"}
    made = (call for m in assistants(later[0].messages) for call in m.calls)
    calls = [call for call in made if call.name in names or call.id in unknown]
    if calls and all(call.id in results for call in calls):
        return []
    text = f"In {later[0].place} the call of an unknown tool ({listed}) is not answered."
    return [Violation(rule, text, (request.n, later[0].n))]


def siblings_kept(trace: Trace, contract: Contract) -> Judgement:
    """Judge that the results of tools that returned survive the failure of a sibling."""
    ended = {tool.call_id: tool for tool in trace.of(ToolEnded)}
    if not any(tool.how == "raised" for tool in ended.values()):
        return NOTHING
    facts = read(trace, contract)
    occasions = 0
    violations: list[Violation] = []
    for run in facts.runs.values():
        if run.left or run.cancels or run.settled is None:
            continue
        for request in run.requests:
            calls = calls_of(facts, request)
            raised = [c for c in calls if c in ended and ended[c].how == "raised"]
            good = [ended[c] for c in calls if c in ended and ended[c].how == "returned"]
            one = _history_behind(facts, run, ended, [*calls]) if raised and good else None
            if one is not None:
                occasions += 1
                violations += _lost(run, one, calls, good, ended[raised[0]])
    return judged(occasions, violations)


def _history_behind(
    facts: Facts, run: RunFacts, ended: dict[str, ToolEnded], calls: list[str]
) -> Heard | None:
    """The next history after all bodies of a response have ended.

    If the run ended there, only a history that still holds the response can be judged: an agent
    may drop a failed run as a whole.
    """
    last = max(ended[call].n for call in calls if call in ended)
    for one in heard(facts):
        if one.run == run.number and one.n > last:
            return one
    one_after = after_run(facts, run)
    if one_after is None:
        return None
    held = {call.id for m in assistants(one_after.messages) for call in m.calls}
    return one_after if held & set(calls) else None


def _lost(
    run: RunFacts, one: Heard, calls: dict[str, str], good: list[ToolEnded], failed: ToolEnded
) -> list[Violation]:
    results = {m.call_id: m for m in one.messages if m.role == "tool"}
    found = []
    for tool in good:
        message = results.get(tool.call_id)
        replaced = message is not None and message.is_error and tool.result not in message.text
        if message is None or replaced:
            text = (
                f"In run {run.number} the result of {calls[tool.call_id]} was lost "
                f"when {calls[failed.call_id]} failed."
            )
            found.append(Violation("sibling-isolation", text, (failed.n, tool.n, one.n)))
    return found


RULES = (
    Rule(
        id="bad-tool-answered",
        tier="core",
        family="history",
        sentence="A call of an unknown or invalid tool gets an error result and the loop goes on.",
        check=unknown_answered,
        why=(
            "Models make up tool names. A loop that raises, or that stores the call without an "
            "answer, turns a small slip of the model into a dead conversation; with an answer the "
            "model corrects itself in the next turn."
        ),
        good="call c1 of serch | tool(c1: unknown tool serch) | request 2",
        bad="call c1 of serch | run ends with KeyError",
    ),
    Rule(
        id="tool-exec-once",
        tier="core",
        family="tools",
        sentence=(
            "Each call is run at most once, over the run with its retries, resumes and reloads."
        ),
        check=run_once,
        why=(
            "A retry layer that repeats a turn, a preview that is acted on as well as its final "
            "form, a resume that forgets what was done: the mail is sent twice. An id that the "
            "model itself used for two different calls may be run twice."
        ),
        good="call c1 | c1 runs | stream error | retry | c1 is not run again",
        bad="call c1 (preview) | c1 runs | call c1 (final) | c1 runs",
    ),
    Rule(
        id="sibling-isolation",
        tier="core",
        family="tools",
        sentence="The failure of one tool loses no result of its siblings.",
        check=siblings_kept,
        why=(
            "Two tools run in parallel, one raises, and the gathering of results raises with it: "
            "the other tool has done its work, but the model never hears of it and does it again. "
            "An agent that drops the failed run as a whole is not judged."
        ),
        good="c1 raises, c2 returns | tool(c1: error), tool(c2: ok) | request 2",
        bad="c1 raises, c2 returns | tool(c1: error), tool(c2: error) | request 2",
    ),
)
