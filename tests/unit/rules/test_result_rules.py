"""result-truthful: what stored results say of what tools did."""

import attrs
import pytest

from simharness.contract import Contract
from simharness.storing import Killed, SessionLoaded, StoreWrite
from simharness.trace import (
    ActionTaken,
    Call,
    CancelCalled,
    CancelEffective,
    ChunkTaken,
    PromptCalled,
    Record,
    RequestMade,
    TerminalTaken,
    ToolEnded,
    ToolExecutionEnd,
    ToolStarted,
    assistant,
    tool_result,
    user,
)
from tests.unit.rules.traces import done, texts, verdict

ANSWERS = Contract(unstarted_call="answered", late_tool_result="real")
GIVES_UP = Contract(unstarted_call="answered", late_tool_result="aborted-error")
HI = user("hi")
CANCEL = CancelCalled("api")
STARTED = ToolStarted("c1", "search", "{}")
RETURNED = ToolEnded("c1", "returned", "3 hits")


def stored(*what: Record, result: str, is_error: bool = False) -> list[Record]:
    """A call of which `what` becomes, and the next request with its result."""
    call = assistant("", Call("c1", "search", "{}"))
    answer = tool_result("c1", result, is_error=is_error)
    return [
        PromptCalled("hi"),
        RequestMade(1, (HI,)),
        ChunkTaken(1, 1, "args", "{}", "c1", "search"),
        TerminalTaken(1, "finish", "tool_calls"),
        *what,
        RequestMade(2, (HI, call, answer)),
        done(),
    ]


def problems(records: list[Record], contract: Contract = ANSWERS) -> list[str]:
    """What is wrong with the result, without where it stands."""
    judged = verdict("result-truthful", *records, contract=contract)
    prefix = "In request 2 of run 1 the result of call c1 "
    return [text.removeprefix(prefix).removesuffix(".") for text in texts(judged)]


@pytest.mark.parametrize("result", ["3 hits", '{"result": "3 hits"}', "3 hi"])
def test_a_tool_that_returned_keeps_its_output(result: str) -> None:
    """Also wrapped or shortened."""
    judged = verdict("result-truthful", *stored(STARTED, RETURNED, result=result), contract=ANSWERS)
    assert (1, ()) == (judged.occasions, judged.violations)


def test_output_that_is_replaced_is_broken() -> None:
    """The tool had finished before the cancel."""
    records = stored(STARTED, RETURNED, CANCEL, result="interrupted", is_error=True)
    assert ["does not hold what the tool returned"] == problems(records)


def test_a_late_result_is_judged_by_what_is_declared() -> None:
    """Real, or given up by the cancel."""
    records = stored(STARTED, CANCEL, CancelEffective(), RETURNED, result="gone", is_error=True)
    assert ["does not hold what the tool returned"] == problems(records)
    assert [] == problems(records, GIVES_UP)


def test_a_prompt_that_interrupts_a_run_gives_up_its_late_results() -> None:
    """As a cancel does, where prompts are declared to interrupt; elsewhere they stop nothing."""
    call = assistant("", Call("c1", "search", "{}"))
    gone = tool_result("c1", "aborted", is_error=True)
    records: list[Record | tuple[int, Record]] = [
        *stored(STARTED, result="")[:-2],
        PromptCalled("rather"),
        (1, RETURNED),
        (1, done("cancelled")),
        RequestMade(1, (HI, call, gone, user("rather"))),
        done(),
    ]
    interrupts = attrs.evolve(GIVES_UP, second_prompt="interrupt")
    assert [] == texts(verdict("result-truthful", *records, contract=interrupts))
    (text,) = texts(verdict("result-truthful", *records, contract=GIVES_UP))
    assert text.endswith("does not hold what the tool returned.")


def test_a_late_result_that_is_to_be_given_up_is_no_success() -> None:
    """The model is told that the call was aborted, whatever the tool did after the cancel."""
    late = [STARTED, CANCEL, CancelEffective(), RETURNED]
    wrong = ["looks like a success, but the tool ended after the cancel"]
    assert wrong == problems(stored(*late, result="3 hits"), GIVES_UP)
    assert [] == problems(stored(*late, result="3 hits"))
    in_time = [STARTED, RETURNED, CANCEL, CancelEffective()]
    assert [] == problems(stored(*in_time, result="3 hits"), GIVES_UP)


@pytest.mark.parametrize("verb", ["shutdown", "dispose", "quiesce"])
def test_a_stop_by_the_framework_makes_results_late_too(verb: str) -> None:
    """A cancel need not have been called; what the user only says stops nothing."""
    stopped = [STARTED, ActionTaken(f"{verb} during search"), RETURNED]
    assert [] == problems(stored(*stopped, result="gone", is_error=True), GIVES_UP)
    steered = [STARTED, ActionTaken("steer during search"), RETURNED]
    lost = ["does not hold what the tool returned"]
    assert lost == problems(stored(*steered, result="gone", is_error=True), GIVES_UP)
    assert lost == problems(stored(*stopped, result="gone", is_error=True))


def test_a_result_is_late_until_the_agent_has_taken_it() -> None:
    """A cancel from inside a tool that has just returned is seen before its result is."""
    answered = ToolExecutionEnd("c1", "search", "gone", is_error=True)
    before = stored(STARTED, RETURNED, CANCEL, answered, result="gone", is_error=True)
    assert [] == problems(before, GIVES_UP)
    behind = stored(STARTED, RETURNED, answered, CANCEL, result="gone", is_error=True)
    assert ["does not hold what the tool returned"] == problems(behind, GIVES_UP)


def test_a_call_that_never_ran_does_not_look_like_a_success() -> None:
    """A flag or a word says so."""
    assert ["looks like a success, but the tool never ran"] == problems(stored(CANCEL, result="ok"))
    assert [] == problems(stored(CANCEL, result="ok", is_error=True))
    assert [] == problems(stored(CANCEL, result="not run: the run was cancelled"))


@pytest.mark.parametrize(("how", "word"), [("raised", "failed"), ("cancelled", "was cancelled")])
def test_a_tool_that_failed_does_not_look_like_a_success(how: str, word: str) -> None:
    """The error, a flag or a word says so."""
    ended = ToolEnded("c1", how, "no net")
    bad = problems(stored(STARTED, ended, result="ok"))
    assert [f"looks like a success, but the tool {word}"] == bad
    assert [] == problems(stored(STARTED, ended, result="ok", is_error=True))


def test_the_error_text_of_a_failed_tool_is_enough() -> None:
    """Some providers have no flag for errors."""
    assert [] == problems(stored(STARTED, ToolEnded("c1", "raised", "no net"), result="no net"))


def test_a_tool_that_runs_has_no_result_yet() -> None:
    """A repair declares a live call cancelled."""
    records = [*stored(STARTED, result="cancelled", is_error=True)[:-1], RETURNED, done()]
    assert ["is there while the tool still runs"] == problems(records)


def test_nobody_is_blamed_for_what_he_did_not_do() -> None:
    """Without a cancel nobody cancelled; an interrupt is no rejection."""
    cancelled = stored(result="cancelled by the user", is_error=True)
    assert ["says that the user cancelled, which nobody did"] == problems(cancelled)
    rejected = stored(CANCEL, result="the user rejected the call", is_error=True)
    assert ["says that the user rejected the call, which nobody did"] == problems(rejected)
    assert [] == problems(stored(CANCEL, result="cancelled by the user", is_error=True))


def test_a_tool_that_was_cut_was_not_rejected_by_the_user() -> None:
    """A cancel is no rejection of the call; what a tool raises may say so."""
    text = "The user rejected this call."
    cut = stored(STARTED, CANCEL, ToolEnded("c1", "cancelled"), result=text, is_error=True)
    assert ["says that the user rejected the call, which nobody did"] == problems(cut)
    own = stored(STARTED, ToolEnded("c1", "raised", text), result=text, is_error=True)
    assert [] == problems(own)


@pytest.mark.parametrize("verb", ["shutdown", "dispose", "quiesce", "kill"])
def test_what_a_framework_does_is_not_put_down_to_the_user(verb: str) -> None:
    """A shutdown calls what a cancel of the user calls, and is none."""
    stop = (ActionTaken(f"{verb} during search"), CancelCalled(verb))
    blamed = stored(*stop, result="not run: cancelled by the user", is_error=True)
    wrong = ["says that the user cancelled, which nobody did"]
    assert wrong == problems(blamed)
    cut = stored(STARTED, *stop, result="cancelled by the user", is_error=True)
    assert wrong == problems(cut)
    both = stored(*stop, CANCEL, result="not run: cancelled by the user", is_error=True)
    assert [] == problems(both)


def test_an_id_that_names_two_calls_is_not_judged() -> None:
    """Whose result it is cannot be told."""
    records = stored(STARTED, RETURNED, STARTED, RETURNED, result="other")
    assert [] == problems(records)


def test_a_history_without_results_is_no_occasion() -> None:
    """Nothing is said."""
    judged = verdict("result-truthful", PromptCalled("hi"), done(), contract=ANSWERS)
    assert 0 == judged.occasions


def test_a_result_of_before_the_trial_is_taken_for_what_it_is() -> None:
    """Nobody saw the tool run. But what the agent wrote while it loaded, it may have made up."""
    call = assistant("", Call("c1", "search", "{}"))
    history = (HI, call, tool_result("c1", "3 hits"))
    asked = [PromptCalled("hi"), RequestMade(2, (*history, HI)), done()]
    loaded = SessionLoaded(history)
    assert [] == problems([loaded, *asked])
    repaired = StoreWrite(1, "{}", "saved")
    assert ["looks like a success, but the tool never ran"] == problems([repaired, loaded, *asked])


def after_a_kill(*what: Record, result: str, left: Record | None = None) -> list[str]:
    """What is wrong with the result of a call of which `what` became, then a kill."""
    call = assistant("", Call("c1", "search", "{}"))
    history = (HI, call, tool_result("c1", result, is_error=True))
    settled = any(type(record) is ToolEnded for record in what)
    kill = Killed() if settled else Killed((1,), 0)
    records = [
        *stored(STARTED, *what, result="")[:-2],
        *([left] if left is not None else []),
        *([done()] if settled else []),
        kill,
        SessionLoaded(history),
        PromptCalled("again"),
        RequestMade(1, (*history, user("again"))),
        done(),
    ]
    judged = verdict("result-truthful", *records, contract=ANSWERS)
    prefix = "In request 1 of run 2 the result of call c1 "
    return [text.removeprefix(prefix).removesuffix(".") for text in texts(judged)]


BEGAN = '{"began": "c1"}'


@pytest.mark.parametrize("how", ["dropped", "failed", "abandoned"])
def test_of_a_start_that_the_store_lost_nobody_can_know_behind_a_kill(how: str) -> None:
    """The agent had written down that the tool was about to begin."""
    wrong = ["says that the tool did not run, but it had started when the process was killed"]
    assert wrong == after_a_kill(result="not run")
    assert wrong == after_a_kill(result="not run", left=StoreWrite(3, BEGAN, "saved"))
    assert [] == after_a_kill(result="not run", left=StoreWrite(3, BEGAN, how))


@pytest.mark.parametrize("how", ["dropped", "failed", "abandoned"])
def test_a_result_that_the_store_lost_is_gone_behind_a_kill(how: str) -> None:
    """The run had settled, but a cancel did not wait for the write, or it was none."""
    lost = ["does not hold what the tool returned"]
    assert lost == after_a_kill(RETURNED, result="outcome unknown")
    assert lost == after_a_kill(RETURNED, result="outcome unknown", left=StoreWrite(4, "", "saved"))
    assert [] == after_a_kill(RETURNED, result="outcome unknown", left=StoreWrite(4, "", how))
