"""Rules about the history as the model receives it: calls and results, and what may be sent."""

from __future__ import annotations

from collections.abc import Iterable

from simharness.contract import Contract
from simharness.rules.argtext import texts, whole
from simharness.rules.conversation import Fault, Heard, heard
from simharness.rules.reading import Facts, read
from simharness.rules.rule import NOTHING, Rule, judged
from simharness.trace import ChunkTaken, ToolStarted, Trace
from simharness.verdict import Judgement, Violation

__all__ = ["RULES", "answered_calls", "arguments_arrive", "orphan_results", "wellformed"]

_EMPTY_BY_CONTRACT = {"emptied", "empty-message"}


def answered_calls(trace: Trace, contract: Contract) -> Judgement:
    """Judge that each call in a history has exactly one result, directly behind its message."""
    facts = read(trace, contract)
    histories = heard(facts)
    occasions = sum(one.calls for one in histories)
    if not occasions:
        return NOTHING
    kinds = {"unanswered", "twice"}
    return judged(occasions, _broken("tool-pairing", facts, histories, kinds))


def orphan_results(trace: Trace, contract: Contract) -> Judgement:
    """Judge that each result in a history has its call earlier in it."""
    facts = read(trace, contract)
    histories = heard(facts)
    occasions = sum(one.roles.count("tool") for one in histories)
    if not occasions:
        return NOTHING
    return judged(occasions, _broken("no-orphan-result", facts, histories, {"orphan"}))


def wellformed(trace: Trace, contract: Contract) -> Judgement:
    """Judge that a strict provider accepts every request."""
    facts = read(trace, contract)
    requests = [one for one in heard(facts) if one.sent]
    if not requests:
        return NOTHING
    kinds = {"unanswered", "twice", "orphan", "misplaced", "system", "id", "args"}
    declared = (contract.cut_message, contract.empty_cancel, contract.failed_final)
    if _EMPTY_BY_CONTRACT.isdisjoint(declared) and contract.empty_answer != "kept":
        kinds.add("empty")
    return judged(len(requests), _broken("request-wellformed", facts, requests, kinds))


def _broken(
    rule: str, facts: Facts, histories: list[Heard], kinds: set[str]
) -> tuple[Violation, ...]:
    """The first place of each fault of `kinds`: later requests repeat what is once in a history."""
    seen: set[tuple[str, str]] = set()
    violations = []
    for one in histories:
        for fault in one.faults:
            key = (fault.kind, fault.call_id)
            if fault.kind not in kinds or key in seen or _sent_so(facts, fault):
                continue
            seen.add(key)
            violations.append(Violation(rule, f"In {one.place} {fault.text}.", (one.n,)))
    return tuple(violations)


def _sent_so(facts: Facts, fault: Fault) -> bool:
    """Whether the model itself used one id for two calls, so that passing it on is no fault."""
    if fault.kind not in {"id", "twice"}:
        return False
    pieces: dict[tuple[int, int, int], list[str]] = {}
    for chunk in facts.args_taken():
        if chunk.call_id == fault.call_id:
            pieces.setdefault((chunk.run, chunk.request, chunk.index), []).append(chunk.text)
    return len(pieces) > 1 or any(len(texts(sent)) > 1 for sent in pieces.values())


def arguments_arrive(trace: Trace, contract: Contract) -> Judgement:
    """Judge that no call whose arguments did not arrive whole is run or left unanswered."""
    facts = read(trace, contract)
    if not facts.args_taken():
        return NOTHING
    cut = _cut_calls(facts)
    violations = _run_too_early(facts)
    occasions = len(cut) + len(violations)
    if not occasions:
        return NOTHING
    seen = set()
    for one in heard(facts) if cut else ():
        for fault in one.faults:
            if fault.kind == "unanswered" and fault.call_id in cut and fault.call_id not in seen:
                seen.add(fault.call_id)
                text = f"In {one.place} {fault.text}, and its arguments never arrived whole."
                violations.append(Violation("args-complete", text, (one.n,)))
    return judged(occasions, violations)


def _cut_calls(facts: Facts) -> set[str]:
    """Ids of the calls whose argument text, as far as it was sent, does not parse."""
    found = set()
    for run, request in {(chunk.run, chunk.request) for chunk in facts.args_taken()}:
        sent = [chunk for chunk in facts.taken(run, request) if chunk.kind == "args"]
        terminal = facts.terminals.get((run, request))
        finished = terminal is not None and terminal.kind == "finish"
        for call in {chunk.call_id for chunk in sent}:
            if not _some_whole(call, sent, finished=finished):
                found.add(call)
    return found


def _some_whole(call: str, sent: Iterable[ChunkTaken], *, finished: bool) -> bool:
    """Whether the pieces sent under one id hold a whole text. A model may use an id twice, and
    nobody can tell which of the two calls an agent means by it.
    """
    return any(one == call and whole(pieces, finished=finished) for one, pieces in _calls(sent))


def _calls(sent: Iterable[ChunkTaken]) -> list[tuple[str, list[str]]]:
    """The calls of one stream, each the id and the pieces of its arguments.

    An id that comes back behind another one at the same index is that of another call.
    """
    found: list[tuple[str, list[str]]] = []
    latest: dict[int, tuple[str, list[str]]] = {}
    for chunk in sent:
        call = latest.get(chunk.index)
        if call is None or call[0] != chunk.call_id:
            call = latest[chunk.index] = (chunk.call_id, [])
            found.append(call)
        call[1].append(chunk.text)
    return found


def _run_too_early(facts: Facts) -> list[Violation]:
    violations = []
    for started in facts.trace.of(ToolStarted):
        taken = [c for c in facts.args_taken() if c.index >= 0 and c.n < started.n]
        sent = [chunk for chunk in taken if chunk.call_id == started.call_id]
        # a run beside it may have heard the same id from its own model
        sent = [c for c in sent if c.run == started.run] or sent
        if not sent or not started.call_id:
            continue
        place = (sent[-1].run, sent[-1].request)
        pieces = [chunk for chunk in taken if (chunk.run, chunk.request) == place]
        terminal = facts.terminals.get(place)
        finished = terminal is not None and terminal.kind == "finish" and terminal.n < started.n
        if not _some_whole(started.call_id, pieces, finished=finished):
            text = (
                f"In run {started.run} call {started.call_id} of {started.name} was run although "
                "its arguments had not arrived whole."
            )
            violations.append(Violation("args-complete", text, (sent[-1].n, started.n)))
    return violations


RULES = (
    Rule(
        id="tool-pairing",
        tier="core",
        family="history",
        sentence=(
            "Every tool call in a history has exactly one result, directly behind its message and "
            "before any later user or assistant message."
        ),
        check=answered_calls,
        why=(
            "Providers refuse a request that holds a call without a result, so one unanswered call "
            "ends the conversation for good. It is what a cancel in the only running tool leaves "
            "behind in most loops, and nobody sees it until the next prompt. The rule reads the "
            "next request, because that is where a bad history does harm."
        ),
        good="user, assistant(call c1), tool(c1: cancelled), user",
        bad="user, assistant(call c1), user      <- c1 has no result",
    ),
    Rule(
        id="no-orphan-result",
        tier="core",
        family="history",
        sentence="Every tool result in a history has its call earlier in the same history.",
        check=orphan_results,
        why=(
            "When a cut message is dropped but the result of its tool is stored, or when only a "
            "preview of the call was acted on, a result stays without its call. Providers refuse "
            "the request."
        ),
        good="user, assistant(call c1), tool(c1), user",
        bad="user, tool(c1), user      <- no call c1",
    ),
    Rule(
        id="request-wellformed",
        tier="core",
        family="history",
        sentence=(
            "Every request passes a strict provider: system first, calls and results paired and in "
            "order, ids unique, arguments parse, no empty system or assistant message."
        ),
        check=wellformed,
        why=(
            "Each provider is lenient somewhere, so a loop that only ever met one of them sends "
            "requests that the next one refuses. An empty message is allowed where the contract "
            "says that a cut or failed message is emptied, or an empty answer kept; ids that the "
            "model itself used twice are not held against the agent."
        ),
        good="system, user, assistant(call c1), tool(c1), user",
        bad="user, assistant(call c1), user, system, tool(c1)",
    ),
    Rule(
        id="args-complete",
        tier="core",
        family="history",
        sentence=(
            "A tool call whose argument text, as the stream sent it, does not parse is never run, "
            "and it does not stay in a history unanswered."
        ),
        check=arguments_arrive,
        why=(
            "A stream that is cut in the middle of the arguments leaves half a JSON text. Lenient "
            "parsers repair it, and the tool runs with arguments that the model never gave. So the "
            "text is judged as it was sent, whatever the agent handed to the tool."
        ),
        good='args {"path": "/tm | cut; nothing runs, the call is dropped',
        bad='args {"path": "/tm | cut; delete(path="/tm") runs',
    ),
)
