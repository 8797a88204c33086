"""The words of Connectome: how records are written as its trace events."""

from __future__ import annotations

import pytest

from simharness.agents.profiles.connectome_words import projection
from simharness.stoprecords import LogLost, StreamRestarted
from simharness.trace import (
    AgentEnd,
    AgentStart,
    FailureCounted,
    LogRow,
    MessageEnd,
    Outcome,
    PhaseChanged,
    PromptCalled,
    Record,
    RequestMade,
    RunSettled,
    TerminalTaken,
    ToolExecutionEnd,
    ToolStarted,
    user,
)


def written(*records: Record) -> list[str]:
    """The words for records of one run."""
    for number, record in enumerate(records, start=1):
        object.__setattr__(record, "n", number)
        object.__setattr__(record, "run", 1)
    return projection(records)


@pytest.mark.parametrize(
    ("cause", "traced", "row"),
    [
        ("user", "inference:aborted{user}", "log failed {Stream cancelled (user)}"),
        ("shutdown", "inference:aborted{shutdown}", "log failed {Stream aborted: shutdown}"),
        (
            "quiesce",
            "inference:aborted{quiesce_abandoned}",
            "log failed {Stream aborted: quiesce_abandoned}",
        ),
    ],
)
def test_a_stop_is_traced_by_whose_it_was(cause: str, traced: str, row: str) -> None:
    """A caller's and a framework's are logged in different words."""
    assert [traced, row, "lifecycle aborted"] == written(AgentEnd(Outcome.CANCELLED, cause))


@pytest.mark.parametrize(
    ("terminal", "words"),
    [
        (("error", "boom"), ["inference:failed", "streak 1", "inference:exhausted{boom}"]),
        (("aborted", "overload"), ["streak 1", "inference:exhausted{Stream aborted: overload}"]),
        (
            ("raise", "gone"),
            ["inference:failed", "streak 1", "inference:exhausted{Stream threw: gone}"],
        ),
    ],
)
def test_a_failure_says_what_the_stream_did(terminal: tuple[str, str], words: list[str]) -> None:
    """An abort by the provider is exhausted without having failed."""
    records = (TerminalTaken(1, *terminal), FailureCounted(1), AgentEnd(Outcome.FAILED, "error"))
    assert words == written(*records)[: len(words)]


def test_requests_behind_tools_are_one_stream_with_one_row() -> None:
    """It holds what all of them used."""
    records = (
        AgentStart(),
        RequestMade(1, (user("hi"),)),
        LogRow(1, True, usage=(10, 2)),
        PhaseChanged("tools"),
        ToolStarted("c1", "look", "{}"),
        ToolExecutionEnd("c1", "look", "3 hits"),
        ToolExecutionEnd("c2", "look", "not run", is_error=True),
        RequestMade(2, (user("hi"),)),
        LogRow(2, True, usage=(20, 1)),
        AgentEnd(Outcome.COMPLETED),
    )
    assert [
        "lifecycle started",
        "inference:started",
        "inference:tool_calls_yielded",
        "tool:started look",
        "tool:completed look",
        "inference:stream_resumed",
        "inference:completed",
        "usage:updated",
        "log ok [30, 3]",
        "lifecycle completed",
    ] == written(*records)


def test_a_stream_that_is_given_up_has_a_row_of_its_own() -> None:
    """And a lost row is none."""
    given_up = (LogRow(1, True, usage=(1, 1)), StreamRestarted(1, "budget"))
    words = ["inference:stream_restarted{budget}", "log ok {budget} [1, 1]"]
    assert words == written(*given_up)
    assert "log lost" in written(LogLost(1, (1, 1)), AgentEnd(Outcome.COMPLETED))


def test_the_caller_of_an_ephemeral_run_is_told_in_its_words() -> None:
    """Only that of an ephemeral one."""
    stopped = (AgentEnd(Outcome.CANCELLED, "shutdown"), RunSettled("raised", "StoppedError: x"))
    aside = written(PromptCalled("hi", "ephemeral 1"), *stopped)
    assert "ephemeral rejects Framework shutting down" == aside[-1]
    assert "lifecycle aborted" == written(PromptCalled("hi"), *stopped)[-1]
    done = (AgentEnd(Outcome.COMPLETED), RunSettled("returned"))
    assert "ephemeral resolves" == written(PromptCalled("hi", "ephemeral 1"), *done)[-1]


def test_only_notes_are_told_of_the_context() -> None:
    """They are what a stop or a failure adds."""
    note = "[turn-interrupted]"
    assert [f"message:added {note}"] == written(MessageEnd(user("hi")), MessageEnd(user(note)))
