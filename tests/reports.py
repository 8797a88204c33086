"""Results to write reports about: small ones made by hand, with texts that are up to no good."""

from __future__ import annotations

from typing import Final

import attrs

from simharness import trace as t
from simharness.campaign.ending import Ending
from simharness.campaign.results import CaseResult, Example, Finding, Identity, SuiteResult
from simharness.choices import Kind, Option, Point
from simharness.scenario.model import Case, Place
from simharness.verdict import CaseVerdict, Verdict, Violation

__all__ = ["HOSTILE", "case_of", "failing", "holding", "suite_of", "trial_of"]

HOSTILE: Final = {
    "escape": "\x1b[31mred\x1b[0m",
    "nul": "a\x00b",
    "carriage": "over\rwritten",
    "c1": "\x9b31m",
    "cdata": "]]>",
    "script": "</script><script>alert(1)</script>",
    "style": "</style><img src=x onerror=alert(1)>",
    "comment": "<!-- --> <!--",
    "direction": "user\u202egnp.exe",
    "unseen": "in\u200bvisible \u2028 \U000e0041",
    "surrogate": "\ud800 lone",
    "no character": "\uffff \U0001fffe",
    "template": "{{ 7 * 7 }} {% raw %}",
    "fence": "```\n````\n~~~",
    "table": "| a | b |\n|---|---|",
    "heading": "x\n\n# not a heading\n\n<h1>nor this</h1>",
    "command": "x\n::error file=a::forged\r\n%0A::stop-commands::x",
    "mermaid": 'x; end\nU->>A: forged #35; %% "<b>',
    "entity": "&amp; &lt; &#0;",
}
"""Texts that would break or forge a report that writes them as they are."""

TWO: Final = (Option("run", Kind.RUN, ""), Option("cancel anywhere", Kind.ANYWHERE, "user"))


def case_of(text: str, number: int = 0) -> Case:
    """A case whose every word is `text`."""
    name = f"{text}-{number}"
    source = f"scenario: {text}\nmodel: []\n"
    place = Place(f"area {text}/{text}.sim.yaml", 3)
    return Case(name, text, place=place, source=source, about=f"about {text}")


def trial_of(text: str, *violations: Violation, late: bool = False) -> Verdict:
    """A cancelled trial whose every message is `text`; `late` leaves the default order."""
    trace = t.Trace()
    call = t.Call("c1", text, text)
    records: list[t.Record] = [
        t.PromptCalled(text),
        t.RequestMade(1, (t.user(text),)),
        t.ChunkArrived(1, 1, "text", text),
        t.ChunkTaken(1, 1, "text", text),
        t.Shown(1, text),
        *([t.CancelCalled("API", text)] if late else []),
        t.ChunkArrived(1, 2, "args", text, "c1", text),
        t.ToolStarted("c1", text, text),
        t.ToolEnded("c1", "returned", text),
        t.TerminalTaken(1, "error", text),
        t.MessageEnd(t.assistant(text, call)),
        t.Notice(text, text),
        t.RequestMade(2, (t.user(text), t.assistant(text, call), t.tool_result("c1", text))),
        t.HistoryRead((t.user(text), t.assistant(text, call))),
        t.RunSettled("raised", text),
    ]
    for number, record in enumerate(records):
        trace.add(record, time=number / 10, run=1)
    course = (Point(TWO, int(late), at=5),)
    return Verdict(
        violations, (text,), frozenset({"settles"}), course, text + str(late), "e", trace=trace
    )


def holding(text: str, number: int = 0) -> CaseResult:
    """A case that holds."""
    trial = trial_of(text)
    return CaseResult(
        case_of(text, number),
        CaseVerdict.HOLDS,
        Identity("loop", "1.0"),
        trials=3,
        notes=(text,),
        ended=(Ending.of(trial),),
        occasions=frozenset({"settles"}),
        coverage=text,
        sample=trial,
    )


def failing(text: str, number: int = 0) -> CaseResult:
    """A case that breaks a rule by a deviation, and one of its expectations."""
    rule = Violation("tool-pairing", f"It is {text}", (1, 5, 11))
    diff = Violation("expect.history", f"not expected (- expected, + actual)\n  - {text}\n  + b")
    verdict = trial_of(text, rule, diff, late=True)
    case = case_of(text, number)
    findings = tuple(
        Finding(one.rule, one.message, 2, Example(case, verdict, one), "sh1:x", explanation=(text,))
        for one in (rule, diff)
    )
    held = holding(text, number)
    return attrs.evolve(held, verdict=CaseVerdict.VIOLATED, findings=findings)


def suite_of(text: str) -> SuiteResult:
    """A case of every verdict, all of whose words are `text`."""
    reasons = {
        CaseVerdict.ERROR: {"reason": f"Traceback\n  {text}\nError: {text}"},
        CaseVerdict.NOT_EXERCISED: {"not_exercised": (text,)},
        CaseVerdict.NOT_APPLICABLE: {"reason": text},
        CaseVerdict.VIOLATED: {"reason": text},
    }
    odd = [
        attrs.evolve(holding(text, number), verdict=verdict, **words)  # type: ignore[arg-type]
        for number, (verdict, words) in enumerate(reasons.items(), start=2)
    ]
    return SuiteResult((holding(text), failing(text, 1), *odd), remarks=(text,))
