"""Compare what a scenario expects with what a trial did.

Each key of `expect:` that does not hold is one violation `expect.<key>` whose message shows the
difference line by line. Whether `expect` is about the agent under test is decided elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from simharness.expect.matching import WORDS, joined, message_aligner, record_aligner
from simharness.scenario.model import Expect
from simharness.storing import Forked, Killed
from simharness.trace import (
    AgentEnd,
    AnswerReturned,
    ChunkTaken,
    HistoryRead,
    InputRejected,
    LogRow,
    Message,
    Notice,
    Outcome,
    Projection,
    PromptCalled,
    Reported,
    RequestMade,
    RunSettled,
    TerminalTaken,
    ToolStarted,
    Trace,
    assistant,
)
from simharness.verdict import HarnessError, Violation

if TYPE_CHECKING:
    from simharness.expect.alignment import Aligner
    from simharness.scenario.model import Case, MessagePattern

__all__ = ["compare", "history_of", "outcome_of_run", "settling_of_run"]

_NEVER = "never prompted"
_LEGEND = "(- expected, + actual)"


def compare(case: Case, trace: Trace, *, projection: Projection | None = None) -> list[Violation]:
    """Return a violation for each key of `case.expect` that `trace` does not meet.

    `projection` writes records in the words of the case's profile; a timeline under a profile
    needs it.
    """
    if case.expect == Expect(any_agent=case.expect.any_agent):
        return []
    return _Comparison(case, trace, projection).all(case.expect)


def outcome_of_run(trace: Trace, run: int) -> str:
    """How a run ended: what its return said, else its AgentEnd, else how `prompt` came back."""
    settled = trace.of(RunSettled, run)
    if not settled:
        killed = [kill.runs for kill in trace.of(Killed)] + [fork.runs for fork in trace.of(Forked)]
        if any(run in runs for runs in killed):
            return "killed"
        return "not settled" if trace.of(PromptCalled, run) else _NEVER
    if settled[-1].outcome is not None:
        return str(settled[-1].outcome)
    said = [end.outcome for end in trace.of(AgentEnd, run) if end.outcome is not None]
    if said:
        return str(said[-1])
    how = settled[-1].how
    plain = {"returned": Outcome.COMPLETED, "raised": Outcome.FAILED}
    return str(plain.get(how, how))


def settling_of_run(trace: Trace, run: int) -> str:
    """What the caller of a prompt got: `raised ValueError: no`, or `returned`.

    Behind that the answer, of a run whose caller is given it.
    """
    settled = trace.of(RunSettled, run)
    if not settled:
        return outcome_of_run(trace, run)
    given = [answer.text for answer in trace.of(AnswerReturned, run)]
    return " ".join([settled[-1].how, *([settled[-1].error] if settled[-1].error else []), *given])


def history_of(trace: Trace) -> tuple[Message, ...]:
    """The history at the end of a trial.

    What the agent displayed last; for an agent that displays nothing the messages of the last
    request, and the answer to it if that was read to a normal end.
    """
    read = trace.of(HistoryRead)
    if read:
        return read[-1].messages
    requests = trace.of(RequestMade)
    if not requests:
        return ()
    last = requests[-1]
    return last.messages + _answer(trace, last)


def _answer(trace: Trace, request: RequestMade) -> tuple[Message, ...]:
    def of_it(record: ChunkTaken | TerminalTaken) -> bool:
        return record.request == request.request

    ends = [end for end in trace.of(TerminalTaken, request.run) if of_it(end)]
    chunks = [chunk for chunk in trace.of(ChunkTaken, request.run) if of_it(chunk)]
    text = "".join(chunk.text for chunk in chunks if chunk.kind == "text")
    finished = any(end.kind == "finish" and end.detail == "stop" for end in ends)
    return (assistant(text),) if finished and text else ()


class _Comparison:
    """One trial against the expectations of its case."""

    def __init__(self, case: Case, trace: Trace, projection: Projection | None) -> None:
        self._case = case
        self._trace = trace
        self._projection = projection
        prompts = enumerate(case.prompts, start=1)
        self._closing = frozenset(run for run, prompt in prompts if prompt.epilogue)

    def all(self, expect: Expect) -> list[Violation]:
        checks: dict[str, Callable[[Expect], str]] = {
            "outcome": self._outcome,
            "cause": self._cause,
            "history": self._history,
            "timeline": self._timeline,
            "requests": self._requests,
            "sent": self._sent,
            "bodies": self._bodies,
            "usage": self._usage,
            "notices": self._notices,
            "rejects": self._rejects,
            "settled": self._settled,
            "one_of": self._one_of,
        }
        found = ((key, checks[key](expect)) for key in expect.keys())  # noqa: SIM118 - a method
        return [Violation(f"expect.{key}", message) for key, message in found if message]

    # --- one word for each prompt -------------------------------------------------------------

    def _outcome(self, expect: Expect) -> str:
        actual = [outcome_of_run(self._trace, run) for run in self._runs()]
        return _per_prompt("outcome", expect.outcome or (), actual)

    def _cause(self, expect: Expect) -> str:
        actual = []
        for run in self._runs():
            ends = self._trace.of(AgentEnd, run)
            actual.append(ends[-1].cause if ends else "not reported")
        return _per_prompt("cause", expect.cause or (), actual)

    def _settled(self, expect: Expect) -> str:
        """What the caller of each prompt got; a wanted word is the beginning of what is found."""
        actual = [settling_of_run(self._trace, run) for run in self._runs()]
        wanted = expect.settled or ()
        begins = (f"{a} ".startswith(f"{w} ") for w, a in zip(wanted, actual, strict=False))
        if len(wanted) == len(actual) and all(begins):
            return ""
        return f"the prompts settled as {joined(actual)}; expected {joined(wanted)}"

    def _runs(self) -> range:
        return range(1, len(self._case.prompts) + 1)

    # --- lists ----------------------------------------------------------------------------------

    def _history(self, expect: Expect) -> str:
        about = "the history is not the expected one"
        return _other_messages(expect.history or (), history_of(self._trace), about)

    def _timeline(self, expect: Expect) -> str:
        wanted = expect.timeline or ()
        about = "the timeline is not the expected one"
        records = [record for record in self._trace if record.run not in self._closing]
        if self._case.profile is not None:
            if self._projection is None:
                raise HarnessError("a timeline under a profile was compared without its words")
            return _difference(WORDS, wanted, self._projection(records), about)
        actual = [record for record in records if isinstance(record, Reported)]
        return _difference(record_aligner(wanted), wanted, actual, about)

    def _notices(self, expect: Expect) -> str:
        actual = [notice.kind for notice in self._trace.of(Notice)]
        return _same_list("notices", expect.notices or (), actual)

    def _rejects(self, expect: Expect) -> str:
        actual = [rejected.reason for rejected in self._trace.of(InputRejected)]
        return _same_list("rejects", expect.rejects or (), actual)

    # --- numbers --------------------------------------------------------------------------------

    def _requests(self, expect: Expect) -> str:
        made = [made for made in self._trace.of(RequestMade) if made.run not in self._closing]
        return _same_number("model requests", expect.requests, len(made))

    def _sent(self, expect: Expect) -> str:
        made = [made for made in self._trace.of(RequestMade) if made.run not in self._closing]
        wanted = expect.sent or ()
        if len(made) != len(wanted):
            return _same_number("model requests", len(wanted), len(made))
        both = enumerate(zip(wanted, made, strict=True), start=1)
        lines = (
            _other_messages(one, request.messages, f"request {number} is not the expected one")
            for number, (one, request) in both
        )
        return "\n".join(line for line in lines if line)

    def _bodies(self, expect: Expect) -> str:
        started = Counter(start.name for start in self._trace.of(ToolStarted))
        lines = [
            _same_number(f"bodies of {name}", wanted, started[name])
            for name, wanted in (expect.bodies or {}).items()
        ]
        return "\n".join(line for line in lines if line)

    def _usage(self, expect: Expect) -> str:
        rows = [row for row in self._trace.of(LogRow) if row.run not in self._closing]
        used = [row.usage for row in rows if row.usage is not None]
        total = (sum(each[0] for each in used), sum(each[1] for each in used))
        if total == expect.usage and used:
            return ""
        actual = f"{total[0]} in, {total[1]} out" if used else "not reported"
        wanted = expect.usage or (0, 0)
        return f"the usage is {actual}; expected {wanted[0]} in, {wanted[1]} out"

    def _one_of(self, expect: Expect) -> str:
        lines = ["no alternative holds"]
        for number, alternative in enumerate(expect.one_of or (), start=1):
            broken = self.all(alternative)
            if not broken:
                return ""
            lines += [f"alternative {number}: {violation.message}" for violation in broken]
        return "\n".join(lines)


# --- sentences ----------------------------------------------------------------------------------


def _per_prompt(what: str, wanted: Sequence[str], actual: Sequence[str]) -> str:
    if tuple(wanted) == tuple(actual):
        return ""
    return f"the {what}s are {joined(actual)}; expected {joined(wanted)}"


def _other_messages(wanted: Sequence[MessagePattern], actual: Sequence[Message], about: str) -> str:
    if not any(pattern.role == "system" for pattern in wanted):
        actual = [message for message in actual if message.role != "system"]
    return _difference(message_aligner(wanted), wanted, actual, about)


def _same_list(what: str, wanted: Sequence[str], actual: Sequence[str]) -> str:
    if tuple(wanted) == tuple(actual):
        return ""
    return f"the {what} are {joined(actual)}; expected {joined(wanted)}"


def _same_number(what: str, wanted: int | None, actual: int) -> str:
    return "" if wanted == actual else f"{actual} {what}; expected {wanted}"


_W = TypeVar("_W")
_F = TypeVar("_F")


def _difference(
    aligner: Aligner[_W, _F], wanted: Sequence[_W], actual: Sequence[_F], about: str
) -> str:
    if aligner.matches(wanted, actual):
        return ""
    lines = aligner.diff(wanted, actual).splitlines()
    return "\n".join([f"{about} {_LEGEND}", *(f"  {line}" for line in lines)])
