"""The reference loop follows a case; other agents stay what they are."""

from collections.abc import Sequence

import pytest

from simharness import agents, check
from simharness.agents import dressing, profiles
from simharness.agents.dressing import dressed
from simharness.agents.mutants import MUTANTS, Mutant
from simharness.agents.profiles import Profile
from simharness.agents.reference import CONTRACT, make
from simharness.campaign import vetting
from simharness.campaign.budget import Plan
from simharness.choices import ScheduleChooser
from simharness.contract import Contract
from simharness.scenario.load import load_text
from simharness.trace import Record, TurnEnd, TurnStart

SAID = """\
scenario: said
model:
  - stream: [hello]
run: [prompt: hi]
"""


def turns(records: Sequence[Record]) -> list[str]:
    """Turns only, in words of their own."""
    words: dict[type[Record], str] = {TurnStart: "open", TurnEnd: "close"}
    return [words[type(record)] for record in records if type(record) in words]


LOOSE = Profile(
    "loose", "the loop with another word", CONTRACT.overridden(Contract(cut_mark="none")), turns
)


@pytest.fixture(autouse=True)
def _one_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles, "PROFILES", (LOOSE,))


def bench(text: str, agent: str = "reference") -> check.Bench:
    """A bench for the one case of a file."""
    (case,) = load_text(text).cases
    return check.Bench(case, agents.find(agent))


def expectations(text: str, agent: str = "reference") -> list[str]:
    """The expectations that a trial did not meet."""
    return sorted(bench(text, agent).trial(ScheduleChooser()).broken())


def test_a_case_gives_the_reference_its_profile() -> None:
    """The contract that rules read is that of the profile."""
    made = bench(SAID + "profile: loose\n")
    made.trial(ScheduleChooser())
    assert made.agent is not None
    assert ("loose", "none") == (made.agent.profile, made.agent.contract.cut_mark)


def test_a_timeline_is_compared_in_the_words_of_the_profile() -> None:
    """The closing prompt is left out, as everywhere."""
    text = SAID + "profile: loose\nexpect: {timeline: [open, "
    assert [] == expectations(text + "close]}\n")
    assert ["expect.timeline"] == expectations(text + "shut]}\n")


def test_a_loop_with_a_profile_is_not_described_by_other_cases() -> None:
    """What a case without a profile expects is about the plain loop."""
    wrong = SAID + "expect: {requests: 7}\n"
    assert ["expect.requests"] == expectations(wrong)
    assert [] == expectations(wrong, "reference@loose")
    assert ["expect.requests"] == expectations(wrong + "profile: loose\n", "reference@loose")


def test_what_another_system_is_to_do_need_not_happen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop with a profile plays the case of another one for the rules."""
    other = Profile("other", "the loop with other words", LOOSE.contract, turns)
    for module in (profiles, vetting):
        monkeypatch.setattr(module, "PROFILES", (LOOSE, other))
    never = SAID.replace("[prompt: hi]", "[prompt: hi, cancel: {during: backoff}]")
    (case,) = load_text(never + "profile: loose\n").cases

    def missed(agent: str) -> tuple[str, ...]:
        plan = Plan(strategy="default", budget=1)
        return check.check_case(case, agents.find(agent), plan).not_exercised

    assert missed("reference") != ()
    assert missed("reference") == missed("reference@loose")
    assert () == missed("reference@other")


def test_a_case_gives_the_reference_its_fault() -> None:
    """A case with a mutant is run with it, and described all the same."""
    mutant = next(one for one in MUTANTS if one.id == "limit-leaves-its-turn-open")
    made = bench(SAID + f"mutant: {mutant.id}\nexpect: {{requests: 7}}\n")
    assert "expect.requests" in made.trial(ScheduleChooser()).broken()
    assert made.agent is not None
    assert f"mutant:{mutant.id}" == made.agent.name


def test_a_fault_can_have_a_profile() -> None:
    """The fault of a real system is shown on the loop that behaves like it."""
    plain = MUTANTS[0]
    faulty = Mutant("faulty", plain.about, plain.rule, plain.loop, LOOSE)
    assert "loose" == getattr(faulty.factory, "profile", "")
    assert CONTRACT == plain.loop.contract


def test_a_fault_under_test_is_described_by_its_own_case() -> None:
    """In the words of its profile, which are there to compare with."""
    fault = MUTANTS[0]
    text = f"profile: loose\nmutant: {fault.id}\nexpect: {{timeline: [shut]}}\n"
    (case,) = load_text(SAID + text).cases
    faulty = check.Bench(case, LOOSE.on(fault.loop))
    assert {"expect.timeline"} == set(faulty.trial(ScheduleChooser()).broken())
    assert dressing.Dressed(fault.factory) == dressed(fault.factory, "loose", None)


def test_another_agent_stays_what_it_is() -> None:
    """A profile is about the reference loop alone."""

    def other(world: object) -> object:
        return make(world)  # type: ignore[arg-type]

    assert dressing.Dressed(other) == dressed(other, "loose", None)  # type: ignore[arg-type]


def test_a_profile_that_does_not_exist_is_named_with_those_that_do() -> None:
    """The mistake and the way out of it stand in one line."""
    with pytest.raises(agents.UnknownAgentError, match="did you mean 'loose'"):
        agents.find("reference@lose")
    with pytest.raises(agents.UnknownAgentError, match="has no profiles"):
        agents.find("tinyagent@loose")
