"""The sequence diagram: who speaks to whom, what is marked, what cannot be forged."""

from __future__ import annotations

import re

import pytest

from simharness import trace as t
from simharness.report.mermaid import as_mermaid
from tests.reports import HOSTILE, trial_of

MESSAGE = re.compile(r"    (    )?(U|A|M|T)(->>|-->>)(U|A|M|T): [^:;#]*(#\d+;[^:;#]*)*")
NOTE = re.compile(r"    (    )?Note over (U|A|M|T)(,T)?: [^:;#]*(#\d+;[^:;#]*)*")
BOX = re.compile(r"    rect rgb\(255, 99, 71, 0\.25\)|    end|    participant \w as \w+")


def test_a_trial_reads_as_a_conversation() -> None:
    """Prompts and results are arrows, the rest are notes; evidence is boxed with its messages."""
    trace = t.Trace()
    records: list[t.Record] = [
        t.PromptCalled("go"),
        t.RequestMade(1, (t.user("go"),)),
        t.ChunkArrived(1, 1, "text", "Hi"),
        t.ChunkTaken(1, 1, "text", "Hi"),
        t.Shown(1, "Hi"),
        t.ToolStarted("c1", "search", "{}"),
        t.ToolEnded("c1", "returned", "3"),
        t.Notice("alert", "so"),
    ]
    for record in records:
        trace.add(record, time=0.0, run=1)

    assert as_mermaid(trace, (), (1, 7)).splitlines() == [
        "sequenceDiagram",
        "    participant U as user",
        "    participant A as agent",
        "    participant M as model",
        "    participant T as tools",
        "    U->>A: prompt #34;go#34;",
        "    rect rgb(255, 99, 71, 0.25)",
        "        A->>M: request 1#58; user",
        "        Note over U,T: 1. user #34;go#34;",
        "    end",
        "    M-->>A: chunk 1 #34;Hi#34; shown",
        "    A->>T: c1 search starts",
        "    T-->>A: c1 returned #34;3#34;",
        "    rect rgb(255, 99, 71, 0.25)",
        "        Note over A: Notice alert",
        "    end",
    ]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_can_be_a_statement(text: str) -> None:
    """Every line is an arrow, a note or a box; signs that mean something are numbers."""
    verdict = trial_of(text, late=True)
    assert verdict.trace is not None
    head, *lines = as_mermaid(verdict.trace, verdict.course, (1, 12)).splitlines()

    assert "sequenceDiagram" == head
    forged = [x for x in lines if not any(form.fullmatch(x) for form in (MESSAGE, NOTE, BOX))]
    assert [] == forged
    assert 2 == lines.count("    end")
    assert [line for line in lines if ": * cancel" in line]
