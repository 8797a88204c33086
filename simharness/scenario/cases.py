"""One case from one tree without `each`: the keys at the top of a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simharness.scenario.actions import ActionReader
from simharness.scenario.contracts import read_contract
from simharness.scenario.expects import ExpectReader
from simharness.scenario.model import (
    Action,
    CallStep,
    Case,
    EndKind,
    EndStep,
    Explore,
    LogFault,
    OtherAction,
    PromptAction,
    Stream,
    TextStep,
    Tool,
    with_reactions,
)
from simharness.scenario.nodes import ListNode, MapNode, Node, ScalarNode
from simharness.scenario.schedules import read_schedule
from simharness.scenario.settings import read_settings
from simharness.scenario.stores import Store, read_store
from simharness.scenario.streams import read_model
from simharness.scenario.tools import read_tools
from simharness.scenario.vocabulary import HOOKS, PROCESS_VERBS
from simharness.scenario.yamltext import write

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simharness.scenario.fields import Keys, Reader

__all__ = ["CASE_KEYS", "FILE_KEYS", "case_id", "read_case"]

CASE_KEYS = (
    "scenario",
    "about",
    "case",
    "model",
    "tools",
    "run",
    "epilogue",
    "agent",
    "hooks",
    "log",
    "model_client",
    "store",
    "expect",
    "expect_for",
    "violates",
    "waive",
    "needs",
    "explore",
    "schedule",
    "mode",
    "profile",
    "mutant",
    "contract",
    "patience",
    "tags",
)
"""The keys of a single case."""

FILE_KEYS = (*CASE_KEYS, "for_each", "expect_if")
"""The keys of a file."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_RULE = re.compile(r"[a-z][a-z0-9-]*(\.[a-z_]+)?")
_NO_EPILOGUE_AFTER = frozenset({"shutdown", "dispose", "quiesce"})
_DEFAULT_PATIENCE_S = 60.0


def case_id(name: str, values: Mapping[str, str]) -> str:
    """The readable id of a case: `name[on_cancel=error]`."""
    inner = ",".join(f"{key}={word}" for key, word in values.items())
    return f"{name}[{inner}]" if inner else name


def read_case(reader: Reader, root: MapNode, values: Mapping[str, str]) -> Case:
    """Build the case that `root` says. `values` are its choices from the matrix."""
    keys = reader.keys(root, "a scenario", FILE_KEYS)
    name = _name(reader, keys)
    tools = _tools(reader, keys)
    actions = _actions(reader, keys, tools)
    profile = keys.text("profile") or None
    prompts = [action for action in actions if isinstance(action, PromptAction)]
    expects = ExpectReader(
        reader,
        prompts=len(prompts) if _all_read(keys, actions) else None,
        tools=tools,
        called=_called(prompts),
        projected=profile is not None,
    )
    return Case(
        id=case_id(name, values),
        scenario=name,
        about=keys.text("about"),
        values=dict(values),
        tools=tools,
        actions=actions,
        settings=read_settings(reader, keys),
        hooks=_hooks(reader, keys),
        expect=expects.read(keys.get("expect"), any_agent=_any_agent(reader, keys)),
        violates=_rule(reader, keys.get("violates"), '"violates"'),
        waive=_waive(reader, keys),
        needs=_needs(reader, keys),
        explore=_explore(reader, keys),
        schedule=read_schedule(reader, keys.get("schedule")),
        mode=_mode(reader, keys),
        profile=profile,
        mutant=keys.text("mutant") or None,
        contract=read_contract(reader, keys.get("contract")),
        log_fails=_log(reader, keys),
        client_renewed=_client(reader, keys),
        store=_store(reader, keys),
        patience_s=keys.seconds("patience", _DEFAULT_PATIENCE_S),
        tags=keys.texts("tags"),
        place=keys.at("scenario"),
        source=write(root),
    )


def _name(reader: Reader, keys: Keys) -> str:
    node = keys.get("scenario")
    if node is None:
        keys.required("scenario", 'a scenario needs a name: "scenario: what-it-shows"')
        return ""
    name = reader.filled(node, "the name of a scenario")
    if name.strip() and not _NAME.fullmatch(name):
        reader.wrong(node, f'"{name}" is no name: letters, digits, "-", "_" and "." only')
    return name


def _tools(reader: Reader, keys: Keys) -> tuple[Tool, ...]:
    node = keys.get("tools")
    return () if node is None else read_tools(reader, node)


# --- actions ------------------------------------------------------------------------------------


def _actions(reader: Reader, keys: Keys, tools: tuple[Tool, ...]) -> tuple[Action, ...]:
    model = keys.get("model")
    first = None if model is None else read_model(reader, model, "model")
    run = keys.get("run")
    if run is None:
        keys.required("run", 'a scenario needs a "run": a list of actions, the first a prompt')
        return ()
    actions = ActionReader(reader, tools, first, has_store="store" in keys).read(run)
    return (*actions, *_epilogue(reader, keys, actions))


def _all_read(keys: Keys, actions: tuple[Action, ...]) -> bool:
    """Whether every action was understood; else there is no use in counting prompts."""
    run = keys.get("run")
    written = sum(not (isinstance(action, PromptAction) and action.epilogue) for action in actions)
    return isinstance(run, ListNode) and len(run.items) == written


def _epilogue(reader: Reader, keys: Keys, actions: tuple[Action, ...]) -> tuple[PromptAction, ...]:
    """The closing prompt. It is no promise of the file, so it has no key."""
    node = keys.get("epilogue")
    if node is None:
        return () if _over(actions) else (_closing_prompt(),)
    if isinstance(node, ScalarNode) and isinstance(node.value, bool):
        return (_closing_prompt(),) if node.value else ()
    if isinstance(node, ScalarNode):
        return (_closing_prompt(reader.filled(node, '"epilogue"')),)
    inner = reader.keys(node, '"epilogue"', ("prompt", "model"))
    model = inner.get("model")
    streams = None if model is None else read_model(reader, model, "epilogue.model")
    return (_closing_prompt(inner.text("prompt", "again"), streams),)


def _closing_prompt(text: str = "again", model: tuple[Stream, ...] | None = None) -> PromptAction:
    if model is None:
        model = (Stream((TextStep("ok"), EndStep(EndKind.FINISH, "stop"))),)
    return PromptAction(text, model=model, epilogue=True, label="closing prompt")


def _over(actions: tuple[Action, ...]) -> bool:
    """Whether nothing is left that could answer another prompt."""
    over = False
    for action in with_reactions(actions):
        if isinstance(action, OtherAction):
            if action.verb in _NO_EPILOGUE_AFTER:
                over = True
            elif action.verb == "resume" or action.verb in PROCESS_VERBS:
                over = False
    return over


def _called(prompts: list[PromptAction]) -> frozenset[str]:
    steps = (step for prompt in prompts for stream in prompt.model for step in stream.steps)
    return frozenset(step.name for step in steps if isinstance(step, CallStep))


# --- the rest -----------------------------------------------------------------------------------


def _hooks(reader: Reader, keys: Keys) -> dict[str, object]:
    node = keys.get("hooks")
    if node is None:
        return {}
    reader.keys(node, '"hooks"', HOOKS)
    return reader.settings(node, '"hooks"')


def _log(reader: Reader, keys: Keys) -> LogFault:
    """How often the write of a log row fails."""
    node = keys.get("log")
    if node is None:
        return LogFault.NEVER
    inner = reader.keys(node, '"log"', ("fails",))
    inner.required("fails", "say how often it fails, as in {fails: once}")
    fails = inner.get("fails")
    word = None if fails is None else reader.word(fails, "fault of the log", LogFault)
    return LogFault(word) if word else LogFault.NEVER


def _client(reader: Reader, keys: Keys) -> bool:
    """Whether a model client that read a cut stream has to be renewed."""
    node = keys.get("model_client")
    return node is not None and reader.word(node, "model client", ("renew",)) is not None


def _store(reader: Reader, keys: Keys) -> Store | None:
    node = keys.get("store")
    return None if node is None else read_store(reader, node)


def _any_agent(reader: Reader, keys: Keys) -> bool:
    node = keys.get("expect_for")
    if node is None:
        return False
    return reader.word(node, 'value of "expect_for"', ("reference", "any")) == "any"


def _rule(reader: Reader, node: Node | None, what: str) -> str | None:
    if node is None:
        return None
    rule = reader.filled(node, what)
    if rule and not _RULE.fullmatch(rule):
        reader.wrong(node, f'{what} must be a rule id such as settles, not "{rule}"')
    return rule or None


def _waive(reader: Reader, keys: Keys) -> dict[str, str]:
    node = keys.get("waive")
    if node is None:
        return {}
    mapping = reader.mapping(node, '"waive"')
    return {
        _rule(reader, rule, "a waived rule") or "": reader.filled(reason, "the reason of a waiver")
        for rule, reason in mapping.pairs
    }


def _needs(reader: Reader, keys: Keys) -> tuple[str, ...]:
    node = keys.get("needs")
    if node is None:
        return ()
    rules = [_rule(reader, item, 'a rule under "needs"') for item in reader.some(node)]
    return tuple(rule for rule in rules if rule)


def _explore(reader: Reader, keys: Keys) -> Explore:
    node = keys.get("explore")
    if node is None:
        return Explore()
    inner = reader.keys(node, '"explore"', ("bound", "budget", "strategy"))
    return Explore(
        bound=inner.whole("bound") if "bound" in inner else None,
        budget=inner.whole("budget", least=1) if "budget" in inner else None,
        strategy=inner.text("strategy") or None,
    )


def _mode(reader: Reader, keys: Keys) -> str | None:
    node = keys.get("mode")
    return None if node is None else reader.word(node, "mode", ("strict", "relaxed"))
