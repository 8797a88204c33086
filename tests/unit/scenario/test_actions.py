"""What the actions under `run:` mean, and when the closing prompt follows."""

from __future__ import annotations

import math
import re

import pytest

from simharness.scenario.load import ScenarioError
from simharness.scenario.model import (
    Action,
    Anchor,
    AnchorKind,
    CancelAction,
    EndKind,
    EndStep,
    OtherAction,
    PromptAction,
    Relation,
    TextStep,
)
from tests.unit.scenario.sheets import one_case, problems_of, sheet

MODEL = "[[a, b, {call: search}], [c, d]]"


def actions(run: str, **blocks: str) -> tuple[Action, ...]:
    """The actions of a prompt that calls a tool."""
    blocks = {"model": MODEL, "tools": "{search: 3 hits}"} | blocks
    return one_case(**blocks, run=run).actions


def anchor(words: str) -> Anchor | None:
    """The anchor of a cancel."""
    return actions(f"[prompt: hi, cancel: {{{words}}}]", store="{}")[1].anchor


ANCHORS: dict[str, Anchor] = {
    "after: chunk 2": Anchor(AnchorKind.CHUNK, Relation.AFTER, number=2),
    "before: chunk 1": Anchor(AnchorKind.CHUNK, Relation.BEFORE),
    "after: chunk 2 of request 2": Anchor(AnchorKind.CHUNK, Relation.AFTER, number=2, request=2),
    "after: request 2": Anchor(AnchorKind.REQUEST, Relation.AFTER, number=2),
    "{before: request 2, from: inside}": Anchor(
        AnchorKind.REQUEST, Relation.BEFORE, number=2, inside=True
    ),
    "after: terminal": Anchor(AnchorKind.TERMINAL, Relation.AFTER),
    "after: terminal of request 1": Anchor(AnchorKind.TERMINAL, Relation.AFTER, request=1),
    "after: search": Anchor(AnchorKind.TOOL, Relation.AFTER, "search"),
    "after: search 2": Anchor(AnchorKind.TOOL, Relation.AFTER, "search", 2),
    "after: tool search 2": Anchor(AnchorKind.TOOL, Relation.AFTER, "search", 2),
    "during: search": Anchor(AnchorKind.TOOL, Relation.DURING, "search"),
    "{before: search, from: inside}": Anchor(
        AnchorKind.TOOL, Relation.BEFORE, "search", inside=True
    ),
    "during: backoff": Anchor(AnchorKind.WAIT, Relation.DURING, "backoff"),
    "during: backoff 2": Anchor(AnchorKind.WAIT, Relation.DURING, "backoff", 2),
    "during: store write 2": Anchor(AnchorKind.WAIT, Relation.DURING, "store write", 2),
    "during: store flush": Anchor(AnchorKind.WAIT, Relation.DURING, "store flush"),
    "during: middleware 1": Anchor(AnchorKind.WAIT, Relation.DURING, "middleware"),
    "after: middleware 1": Anchor(AnchorKind.HOOK, Relation.AFTER, "middleware"),
    "after: before_turn 2": Anchor(AnchorKind.HOOK, Relation.AFTER, "before_turn", 2),
    "after: MessageEnd 2": Anchor(AnchorKind.RECORD, Relation.AFTER, "MessageEnd", 2),
    "{after: TurnStart, from: inside}": Anchor(
        AnchorKind.RECORD, Relation.AFTER, "TurnStart", inside=True
    ),
    "at: 150ms": Anchor(AnchorKind.TIME, Relation.AT, seconds=0.15),
}


@pytest.mark.parametrize("words", ANCHORS)
def test_an_anchor_means_what_it_says(words: str) -> None:
    """Every anchor of the language, as the world gets it."""
    assert ANCHORS[words] == anchor(words.strip("{}"))


def test_a_prompt_has_the_answers_of_the_file() -> None:
    """`model:` belongs to the first prompt; a later one has its own or none."""
    first, second, third, _ = actions("[prompt: a, {prompt: b, model: [[x]]}, prompt: c]")
    assert isinstance(first, PromptAction)
    assert isinstance(second, PromptAction)
    assert isinstance(third, PromptAction)
    assert (2, 1, 0) == (len(first.model), len(second.model), len(third.model))
    assert ("prompt", "prompt 2", "prompt 3") == (first.label, second.label, third.label)


def test_a_prompts_options_stand_beside_it_or_in_it() -> None:
    """Both ways of writing give the same action."""
    beside = actions("[prompt: a, {prompt: b, meanwhile: true, as: two, after: chunk 1}]")[1]
    inside = actions("[prompt: a, {prompt: {text: b, meanwhile: true, as: two, after: chunk 1}}]")
    assert beside == inside[1]
    assert (
        PromptAction(
            "b",
            meanwhile=True,
            session="two",
            anchor=Anchor(AnchorKind.CHUNK, Relation.AFTER),
            key="run[1] prompt",
            label="prompt 2",
        )
        == beside
    )


def test_a_cancel_says_who_why_and_how() -> None:
    """Reason, way and session of a cancel; its label is what a timeline shows."""
    cancel = actions("[prompt: a, cancel: {reason: shutdown, way: task, as: b, after: chunk 2}]")[1]
    assert (
        CancelAction(
            way="task",
            reason="shutdown",
            anchor=Anchor(AnchorKind.CHUNK, Relation.AFTER, number=2),
            session="b",
            key="run[1] cancel",
            label="cancel after chunk 2",
        )
        == cancel
    )


@pytest.mark.parametrize("words", ["cancel", "cancel: ", "cancel: {}"])
def test_a_bare_cancel_has_no_place_of_its_own(words: str) -> None:
    """It follows its predecessor."""
    assert CancelAction(key="run[1] cancel") == actions(f"[prompt: a, {words}]")[1]


@pytest.mark.parametrize("words", ["cancel: anywhere", "cancel: {anywhere: true}"])
def test_a_cancel_can_be_anywhere(words: str) -> None:
    """The search places it."""
    cancel = actions(f"[prompt: a, {words}]")[1]
    assert CancelAction(anywhere=True, key="run[1] cancel", label="cancel anywhere") == cancel


def test_an_idle_cancel_may_come_first() -> None:
    """A cancel before any prompt hits no run; it needs no anchor."""
    assert CancelAction(key="run[0] cancel") == actions("[cancel, prompt: a]")[0]


OTHERS: dict[str, dict[str, object]] = {
    "wait: 50ms": {"seconds": 0.05},
    "gc": {},
    "interrupt": {},
    "steer: stop it": {"text": "stop it"},
    "follow_up: {text: more}": {"text": "more"},
    "shutdown": {},
    "shutdown: {drain: 5s}": {"drain": 5.0},
    "quiesce: {abandon: true}": {"abandon": True},
    "approve": {},
    "deny: {tool: search, reason: no}": {"tool": "search", "reason": "no"},
    "context_restart": {},
    "context_restart: budget": {"reason": "budget"},
    "quiesce: {drain: nan}": {"drain": math.nan},
}


@pytest.mark.parametrize("words", OTHERS)
def test_other_verbs_carry_their_words(words: str) -> None:
    """Each verb of the language is an action with its arguments."""
    action = actions(f"[prompt: a, {words}]")[1]
    assert isinstance(action, OtherAction)
    assert (words.partition(":")[0], OTHERS[words]) == (action.verb, action.args)


def test_what_the_caller_does_on_settling_is_a_list_of_actions() -> None:
    """`on_settle` holds actions, which have keys of their own."""
    action = actions("[prompt: a, on_settle: [dispose]]")[1]
    assert isinstance(action, OtherAction)
    assert (OtherAction("dispose", key="run[1].on_settle[0] dispose", label="dispose"),) == (
        action.reactions
    )


@pytest.mark.parametrize(
    ("run", "wrong"),
    [
        ("[prompt: a, on_settle: [prompt: b]]", "holds no prompt"),
        ("[prompt: a, on_settle: [{cancel: {during: backoff}}]]", "has its place already"),
        ("[prompt: a, on_settle: [cancel: anywhere]]", "has its place already"),
        ("[prompt: a, on_settle]", "needs the actions to take"),
        ("[on_settle: [dispose], prompt: a]", "no prompt before it"),
    ],
)
def test_what_cannot_be_done_on_settling_is_refused(run: str, wrong: str) -> None:
    """A reaction belongs to the settling of the prompt before it, and to no other place."""
    assert any(wrong in problem for problem in problems_of(sheet(run=run)))


def test_an_ephemeral_is_a_prompt_beside_the_conversation() -> None:
    """It opens a run of its own, with a text and answers."""
    one = actions("[prompt: a, {ephemeral: b, model: [[x]]}]")[1]
    assert isinstance(one, PromptAction)
    assert ("b", True, "ephemeral 2") == (one.text, one.ephemeral, one.label)


def test_a_cancel_can_be_anchored_to_a_prompt_meanwhile() -> None:
    """An anchor may lie in any of the prompts that run together, but in no earlier one."""
    run = "[prompt: a, {prompt: b, model: [[x, y, z]], meanwhile: true}, cancel: {after: chunk 3}]"
    assert Anchor(AnchorKind.CHUNK, Relation.AFTER, number=3) == actions(run)[2].anchor


def test_a_continue_is_a_prompt_without_a_text() -> None:
    """It opens a run of its own, with its own answers."""
    go_on = actions("[prompt: a, {continue: {model: [[x]]}}]")[1]
    assert isinstance(go_on, PromptAction)
    assert ("", True, "continue 2", "run[1] continue") == (
        go_on.text,
        go_on.continues,
        go_on.label,
        go_on.key,
    )
    assert TextStep("x") == go_on.model[0].steps[0]


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("[prompt: a, continue: please]", '"continue" takes no value'),
        ("[prompt: a, cancel: {queue: keep}]", 'unknown fate of the queue "keep"'),
        ("[prompt: a, {continue: {text: x}}]", 'unknown key "text" of "continue"'),
    ],
)
def test_what_a_continue_or_a_queue_cannot_be_is_a_mistake(run: str, message: str) -> None:
    """The words are checked like all others."""
    with pytest.raises(ScenarioError, match=re.escape(message)):
        actions(run)


def test_a_cancel_can_say_what_becomes_of_the_queue() -> None:
    """It says nothing by default."""
    said, silent = actions("[prompt: a, cancel: {queue: drop}, cancel]")[1:3]
    assert isinstance(said, CancelAction)
    assert isinstance(silent, CancelAction)
    assert ("drop", None) == (said.queue, silent.queue)


def test_the_closing_prompt_comes_by_default() -> None:
    """It asks "again", is answered "ok", and promises nothing."""
    closing = one_case().actions[-1]
    assert isinstance(closing, PromptAction)
    assert ("again", True, "") == (closing.text, closing.epilogue, closing.key)
    assert (TextStep("ok"), EndStep(EndKind.FINISH, "stop")) == closing.model[0].steps


@pytest.mark.parametrize(
    ("run", "closed"),
    [
        ("[prompt: a]", True),
        ("[prompt: a, shutdown]", False),
        ("[prompt: a, dispose]", False),
        ("[prompt: a, quiesce]", False),
        ("[prompt: a, quiesce, resume]", True),
        ("[prompt: a, close]", True),
    ],
)
def test_nothing_is_asked_of_an_agent_that_is_gone(run: str, closed: bool) -> None:
    """After a shutdown, a dispose, or a quiesce without resume there is none."""
    assert closed == any(prompt.epilogue for prompt in one_case(run=run).prompts)


def test_a_kill_brings_an_agent_back_that_was_shut_down() -> None:
    """The fresh one answers."""
    case = one_case(run="[prompt: a, shutdown, kill]", store="{}")
    assert case.prompts[-1].epilogue


@pytest.mark.parametrize("verb", ["kill", "fork", "fork: 2", "fork: {turn: 2}"])
def test_the_agent_that_is_made_anew_gets_the_closing_prompt(verb: str) -> None:
    """A kill and a fork are followed by a fresh agent, which is asked what it remembers."""
    case = one_case(run=f"[prompt: a, {verb}]", store="{}")
    action = case.actions[1]
    assert isinstance(action, OtherAction)
    assert ({"turn": 2} if "2" in verb else {}) == action.args
    assert case.prompts[-1].epilogue


def test_the_closing_prompt_can_be_left_out_or_changed() -> None:
    """`epilogue:` is false, true, a text, or a prompt with its answers."""
    assert 1 == len(one_case(epilogue="false").prompts)
    assert 2 == len(one_case(run="[prompt: a, shutdown]", epilogue="true").prompts)
    assert "more" == one_case(epilogue="more").prompts[-1].text
    own = one_case(epilogue="{prompt: more, model: [[x, hang]]}").prompts[-1]
    assert ("more", "epilogue.model[0].stream: hang") == (
        own.text,
        getattr(own.model[0].steps[-1], "key", ""),
    )
