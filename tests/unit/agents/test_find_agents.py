"""Agents by name: what is found, and what an error says when nothing is."""

from __future__ import annotations

import importlib.metadata
import sys
from typing import TYPE_CHECKING

import pytest

from simharness.agents import UnknownAgentError, describe, find, names
from simharness.bridges.child import Child

if TYPE_CHECKING:
    from pathlib import Path


def test_a_command_line_is_an_agent_in_another_process() -> None:
    """Nothing is started before a trial asks for the agent."""
    factory = find("child:no-such-program --flag 'two words'")
    assert isinstance(factory, Child)
    assert 0 == factory.starts


def test_the_shipped_agents_have_names_and_descriptions() -> None:
    """Every name can be described without importing its framework."""
    assert (
        "reference",
        "tinyagent",
        "pydantic-ai",
        "openai-agents",
        "langgraph",
        "strands",
        "google-adk",
        "agno",
        "agent-framework",
        "autogen",
        "anthropic",
        "llama-index",
        "smolagents",
    ) == names()
    assert all(describe(name).about for name in names())


def test_only_the_framework_that_was_asked_for_is_imported() -> None:
    """Listing and describing import no framework."""
    import subprocess

    code = "import sys, simharness.agents as a; [a.describe(n).installed for n in a.names()]; "
    code += "print('tinyagent' in sys.modules, 'pydantic_ai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "False False" == done.stdout.strip()


def test_a_misspelt_name_gets_a_suggestion_and_the_list() -> None:
    """The error names the nearest agent, all agents, and the other form."""
    with pytest.raises(UnknownAgentError) as caught:
        find("tinyagnt")
    text = str(caught.value)
    assert "unknown agent 'tinyagnt'; did you mean 'tinyagent'?" in text
    assert f"Known agents: {', '.join(names())}, or" in text


def test_a_missing_framework_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent whose framework is not installed says what to install."""

    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(UnknownAgentError, match=r'pip install "simharness\[tinyagent\]"'):
        find("tinyagent")


def test_a_factory_is_found_by_module_and_attribute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module in the working directory can be named."""
    (tmp_path / "my_loop_a.py").write_text("def make(world):\n    return world\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert "make" == getattr(find("my_loop_a:make"), "__name__", "")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("my_loop_b:", "expected package.module:factory"),
        (":make", "expected package.module:factory"),
        ("no_such_module:make", "there is no module 'no_such_module'"),
        ("no_such.module:make", "there is no module 'no_such'"),
        ("my_loop_b:mak", "has no 'mak'; did you mean 'make'? Its callables: make"),
        ("my_loop_b:NUMBER", "NUMBER is int, expected a callable"),
        ("my_loop_c:make", "my_loop_c imports 'not_there', not found"),
    ],
)
def test_a_wrong_factory_path_says_what_is_wrong(
    path: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each way to get a factory path wrong has its own sentence."""
    (tmp_path / "my_loop_b.py").write_text("NUMBER = 1\ndef make(world):\n    return world\n")
    (tmp_path / "my_loop_c.py").write_text("import not_there\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(UnknownAgentError) as caught:
        find(path)
    assert text in str(caught.value)
