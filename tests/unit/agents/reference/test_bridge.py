"""The bridge: every update is on the wire before the answer, and the client sees the history."""

from __future__ import annotations

import pytest

from simharness.agent import CancelWay, Style, World
from simharness.agents.reference import CONTRACT, ReferenceAgent
from simharness.agents.reference.bridge import Bridge, Update, View
from simharness.campaign.budget import Plan
from simharness.check import check_case
from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_text
from simharness.scenario.model import Case
from simharness.trace import Outcome, RunSettled
from simharness.verdict import CaseVerdict
from simharness.world.run import batch, run

TOOLS = """
scenario: behind-a-bridge
model:
  - ["Let me ", "look. ", {call: search}, {call: read}]
  - [{reasoning: Hm.}, "It is ", this.]
tools:
  search: {returns: 3 hits, takes: 50ms}
  read: {returns: text, takes: 20ms}
run:
  - prompt: Go
"""
RETRY = """
scenario: retried-behind-a-bridge
model:
  - [{error: {retryable: true}}]
  - ["The ", answer.]
run:
  - prompt: Go
"""


class Bridged:
    """The reference loop behind a bridge, with a client that takes 10 ms for each update.

    A prompt fails if the client sees another conversation than the one that the loop remembers.
    """

    name, version, contract, seam = "bridged", "1", CONTRACT, "stream"
    style = Style.ASYNC
    cancel_ways = frozenset({CancelWay.API})
    wire: list[Update | str]

    def __init__(self, world: World) -> None:
        self.world = world
        self.loop = ReferenceAgent(world)
        self.bridge = Bridge(self.loop, self.send)
        self.view = View()
        Bridged.wire = []
        self.configure, self.stored = self.loop.configure, self.loop.stored
        self.history, self.outcome_of = self.loop.history, self.loop.outcome_of

    async def send(self, update: Update) -> None:
        """Put an update on the wire of a slow client."""
        await self.world.wait("connect", 0.01)
        self.wire.append(update)
        self.view.take(update)

    async def prompt(self, text: str) -> None:
        """Have the client prompt."""
        try:
            self.wire.append(await self.bridge.prompt(text))
        finally:
            self.compare()

    async def load(self) -> None:
        """Have the client open the session."""
        await self.bridge.load()
        self.compare()

    def compare(self) -> None:
        """The screen shows what the loop remembers."""
        assert View.of(self.history()) == self.view.lines

    def cancel(self, way: CancelWay, reason: str) -> None:
        """Have the client cancel."""
        self.bridge.cancel()


def case(text: str, *actions: str, **blocks: str) -> Case:
    """A case of a text with more actions and blocks."""
    more = "".join(f"  - {action}\n" for action in actions)
    rest = "".join(f"{key}: {value}\n" for key, value in blocks.items())
    return load_text(f"{text}{more}{rest}").cases[0]


def wire(one: Case) -> list[Update | str]:
    """What went over the wire, without the closing prompt."""
    with batch():
        run(one, Bridged, ScheduleChooser())
    return Bridged.wire


def kinds(sent: list[Update | str]) -> list[str]:
    """The kinds of updates, and the answers."""
    return [one if isinstance(one, str) else one.kind for one in sent]


def test_every_update_comes_before_the_answer() -> None:
    """Starts, chunks, calls and their ends, then why it ended."""
    sent = kinds(wire(case(TOOLS, epilogue="false")))
    first = ["user_message_chunk", "_message_start", "agent_message_chunk", "agent_message_chunk"]
    calls = ["_message_end", "tool_call", "tool_call", "tool_call_update", "tool_call_update"]
    last = ["_message_start", "agent_thought_chunk", *["agent_message_chunk"] * 2, "_message_end"]
    assert [*first, *calls, *last, "end_turn"] == sent


@pytest.mark.parametrize(
    "place", ["after: chunk 2", "during: search", "after: chunk 2 of request 2"]
)
def test_a_cancelled_prompt_is_answered_last(place: str) -> None:
    """All that had been said is on the wire by then."""
    sent = wire(case(TOOLS, f"cancel: {{{place}}}", epilogue="false"))
    assert "cancelled" == sent[-1]
    assert all(isinstance(one, Update) for one in sent[:-1])


@pytest.mark.parametrize(
    ("model", "reason"),
    [("[[a, {finish: length}]]", "max_tokens"), ("[[a]]", "end_turn")],
)
def test_the_answer_says_why_the_run_ended(model: str, reason: str) -> None:
    """In the words of the protocol."""
    text = f"scenario: s\nmodel: {model}\nrun:\n  - prompt: hi\n"
    assert reason == wire(case(text, epilogue="false"))[-1]


def test_a_turn_limit_is_said_as_such() -> None:
    """The model wanted to go on."""
    sent = wire(case(TOOLS, agent="{turn_limit: 1}", epilogue="false"))
    assert "max_turn_requests" == sent[-1]


def test_a_failure_is_raised_behind_the_updates() -> None:
    """The client takes back what it had shown of the answer."""
    text = "scenario: s\nmodel: [[half, error]]\nrun:\n  - prompt: hi\n"
    sent = wire(case(text, epilogue="false"))
    assert Update("_message_end", status="discarded") == sent[-1]


def test_a_cancelled_caller_gets_its_cancel_when_the_run_is_over() -> None:
    """A task cancel of the bridge is one of the run."""
    one = case(TOOLS, "cancel: {after: chunk 2, way: task}", epilogue="false")
    with batch():
        trace = run(one, Bridged, ScheduleChooser()).trace
    assert [("cancelled", Outcome.CANCELLED)] == [
        (settled.how, settled.outcome) for settled in trace.of(RunSettled)
    ]
    assert Update("_message_end") == Bridged.wire[-1]


@pytest.mark.parametrize("text", [TOOLS, RETRY], ids=["tools", "retry"])
@pytest.mark.parametrize("way", ["api", "task"])
def test_the_client_sees_the_history_wherever_a_cancel_falls(text: str, way: str) -> None:
    """A cancel at every loop boundary: screen and history are the same, and no rule is broken."""
    one = case(text, f"cancel: {{anywhere: true, way: {way}}}")
    result = check_case(one, Bridged, Plan(strategy="sweep", budget=500))
    assert [] == [finding.example.verdict.violations for finding in result.findings]
    assert CaseVerdict.HOLDS == result.verdict
    assert result.trials > 30


def test_a_loaded_session_is_shown_as_it_is_remembered() -> None:
    """After a kill in the middle of a tool the client of the new process sees the repaired call."""
    one = case(TOOLS, "kill: {during: search}", store="{}")
    with batch():
        trace = run(one, Bridged, ScheduleChooser()).trace
    assert ["returned"] == [settled.how for settled in trace.of(RunSettled)]
    shown = [one for one in Bridged.wire if isinstance(one, Update) and one.call_id]
    assert ["failed", "failed"] == [one.status for one in shown if one.kind == "tool_call_update"]
