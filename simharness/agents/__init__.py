"""Agents under test by name: those that ship, and anyone's `package.module:factory`.

A framework is imported only when its agent is asked for, so none of them is needed to run the
others. What an agent does, and what it promises, is the business of its own module.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from types import ModuleType

    from simharness.agent import AgentFactory

__all__ = ["AgentInfo", "UnknownAgentError", "describe", "find", "names"]


class UnknownAgentError(LookupError):
    """No agent of that name, or its factory cannot be imported; the text says what to do."""


@attrs.frozen
class AgentInfo:
    """One shipped agent.

    `needs` is what to install for it, `distribution` what that brings; empty: nothing beyond
    simharness. Modules do not tell: `agents` is a name that many projects use.
    """

    name: str
    about: str
    module: str
    needs: str = ""
    distribution: str = ""

    @property
    def installed(self) -> bool:
        """Whether what the agent needs is there."""
        try:
            return not self.needs or bool(importlib.metadata.version(self.distribution))
        except importlib.metadata.PackageNotFoundError:
            return False


_SHIPPED = (
    AgentInfo(
        "reference",
        "the loop of our own that every rule is proven on",
        "simharness.agents.reference",
    ),
    AgentInfo(
        "tinyagent",
        "tiny-agent-os, by its StreamFn seam",
        "simharness.agents.tinyagent",
        "simharness[tinyagent]",
        "tiny-agent-os",
    ),
    AgentInfo(
        "pydantic-ai",
        "pydantic-ai, by its FunctionModel seam",
        "simharness.agents.pydantic_ai",
        "simharness[pydantic-ai]",
        "pydantic-ai-slim",
    ),
    AgentInfo(
        "openai-agents",
        "openai-agents, over the wire of OpenAI chat completions",
        "simharness.agents.openai_agents",
        "simharness[openai-agents]",
        "openai-agents",
    ),
    AgentInfo(
        "langgraph",
        "langchain's create_agent on langgraph, over the wire of OpenAI chat completions",
        "simharness.agents.langgraph",
        "simharness[langgraph]",
        "langgraph",
    ),
    AgentInfo(
        "strands",
        "strands-agents, over the wire of OpenAI chat completions",
        "simharness.agents.strands",
        "simharness[strands]",
        "strands-agents",
    ),
    AgentInfo(
        "google-adk",
        "google-adk, by its BaseLlm seam",
        "simharness.agents.google_adk",
        "simharness[google-adk]",
        "google-adk",
    ),
    AgentInfo(
        "agno",
        "agno, over the wire of OpenAI chat completions",
        "simharness.agents.agno",
        "simharness[agno]",
        "agno",
    ),
    AgentInfo(
        "agent-framework",
        "Microsoft's agent-framework, over the wire of OpenAI chat completions",
        "simharness.agents.agent_framework",
        "simharness[agent-framework]",
        "agent-framework-openai",
    ),
    AgentInfo(
        "autogen",
        "autogen-agentchat, over the wire of OpenAI chat completions",
        "simharness.agents.autogen",
        "simharness[autogen]",
        "autogen-agentchat",
    ),
    AgentInfo(
        "anthropic",
        "the tool runner of Anthropic's SDK, over the wire of Anthropic messages",
        "simharness.agents.anthropic_runner",
        "simharness[anthropic]",
        "anthropic",
    ),
    AgentInfo(
        "llama-index",
        "llama-index's FunctionAgent, over the wire of OpenAI chat completions",
        "simharness.agents.llama_index",
        "simharness[llama-index]",
        "llama-index-core",
    ),
    AgentInfo(
        "smolagents",
        "smolagents' ToolCallingAgent, synchronous, by its Model seam",
        "simharness.agents.smolagents",
        "simharness[smolagents]",
        "smolagents",
    ),
)


def names() -> tuple[str, ...]:
    """The names of the shipped agents, whether or not their frameworks are installed."""
    return tuple(info.name for info in _SHIPPED)


def describe(name: str) -> AgentInfo:
    """What there is to say about a shipped agent without importing its framework."""
    for info in _SHIPPED:
        if info.name == name:
            return info
    raise UnknownAgentError(_unknown(name))


def find(name: str) -> AgentFactory:
    """The factory of a shipped agent, or of `package.module:factory`.

    `reference@NAME` is the reference loop under the profile NAME, `child:COMMAND` the agent that
    this command line serves over the process bridge.
    Raises `UnknownAgentError` with what exists, what is missing, or what the module holds.
    """
    if name.startswith("child:"):
        from simharness.bridges.child import child

        return child(name.removeprefix("child:"))
    if ":" in name:
        return _load(name)
    name, at, profile = name.partition("@")
    if at:
        return _profiled(name, profile)
    info = describe(name)
    if not info.installed:
        raise UnknownAgentError(f'agent {name!r} needs its framework: pip install "{info.needs}"')
    return _load(f"{info.module}:make")


def _profiled(name: str, profile: str) -> AgentFactory:
    from simharness.agents.profiles import PROFILES

    if name != "reference":
        raise UnknownAgentError(f'agent {name!r} has no profiles; only "reference" has')
    for one in PROFILES:
        if one.name == profile:
            return one.factory
    known = [one.name for one in PROFILES]
    near = difflib.get_close_matches(profile, known, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise UnknownAgentError(f"unknown profile {profile!r}; {hint}Profiles: {', '.join(known)}")


def _load(path: str) -> AgentFactory:
    module_name, _, attribute = path.partition(":")
    if not module_name or not attribute:
        raise UnknownAgentError(f"{path!r}: expected package.module:factory")
    module = _import(module_name, path)
    factory = module
    for part in attribute.split("."):
        if not hasattr(factory, part):
            near = difflib.get_close_matches(part, _callables(module), n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            held = ", ".join(_callables(module)) or "none"
            raise UnknownAgentError(
                f"{path!r}: module {module_name} has no {part!r}; {hint}Its callables: {held}"
            )
        factory = getattr(factory, part)
    if not callable(factory):
        raise UnknownAgentError(
            f"{path!r}: {attribute} is {type(factory).__name__}, expected a callable that takes "
            "a World and returns an Agent"
        )
    made: AgentFactory = factory
    return made


def _import(module_name: str, path: str) -> ModuleType:
    """Import a module; the working directory counts, as it does for `python -m`."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = error.name or module_name
        if module_name == missing or module_name.startswith(f"{missing}."):
            raise UnknownAgentError(
                f"{path!r}: there is no module {missing!r}; is its package installed, or its "
                f"folder the working directory ({here})?"
            ) from error
        raise UnknownAgentError(
            f"{path!r}: {module_name} imports {missing!r}, not found"
        ) from error


def _callables(module: ModuleType) -> list[str]:
    """The public callables that `module` itself defines."""
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and callable(value)
        and getattr(value, "__module__", None) == module.__name__
    )


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, names(), n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    known = ", ".join(names())
    return f"unknown agent {name!r}; {hint}Known agents: {known}, or package.module:factory"
