"""The import order of ARCHITECTURE.md: data flows one way, and so do imports."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "simharness"

# A layer may import from itself where that is said, and from what stands in its row.
ALLOWED: dict[str, set[str]] = {
    "choices": set(),
    "messages": set(),
    "records": set(),
    "stoprecords": {"records"},
    "trace": {"messages", "records", "stoprecords"},
    "storing": {"trace"},
    "contract": set(),
    "exitcodes": set(),
    "plural": set(),
    "verdict": {"choices", "exitcodes", "trace"},
    "agent": {"contract", "trace"},
    "scenario": {"scenario", "contract", "agent", "trace", "choices"},
    "world": {
        "world",
        "provider",
        "scenario",
        "agent",
        "verdict",
        "choices",
        "trace",
        "storing",
        "contract",
    },
    "provider": {"provider", "world", "scenario", "agent", "trace", "choices", "verdict"},
    "bridges": {
        "bridges",
        "recorded",
        "world",
        "scenario",
        "agent",
        "choices",
        "trace",
        "contract",
        "verdict",
    },
    "agents": {"agents", "agent", "bridges", "contract", "trace", "storing", "provider"},
    "rules": {"rules", "trace", "storing", "verdict", "contract"},
    "recorded": {"recorded", "rules", "scenario", "trace", "storing", "contract", "verdict"},
    "search": {"search", "choices", "plural", "verdict"},
    "replay": {"replay", "choices"},
    "field": {"field", "verdict"},
    "expect": {"expect", "scenario", "trace", "storing", "verdict"},
    "batches": {"batches", "check", "campaign", "search", "scenario", "world", "agent", "verdict"},
}
FRONT = {"__main__", "cli", "pytest_plugin"}
"""Front ends: they may import whatever they need, and nobody imports them."""


def modules() -> list[Path]:
    """All modules of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def layer(path: Path) -> str:
    """The part of the package that a module belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """The parts of the package that a module imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
            if node.module == "simharness":
                names = [f"simharness.{alias.name}" for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("simharness.")}
    return found - {"__version__"}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    """No module imports a part that stands above its own."""
    allowed = ALLOWED.get(layer(path))
    if allowed is not None:
        assert imported(path) <= allowed
    elif layer(path) not in FRONT:
        assert not imported(path) & FRONT


def test_a_framework_is_imported_in_exactly_one_file() -> None:
    """Third-party agent frameworks stay behind their adapter."""
    frameworks = {"tinyagent", "pydantic_ai", "agents", "openai", "anthropic"}
    frameworks |= {"langgraph", "strands", "google", "agno", "agent_framework"}
    frameworks |= {"autogen_agentchat", "llama_index", "smolagents"}
    homes = {"agents": "openai_agents", "openai": "wired", "google": "google_adk"}
    homes |= {"anthropic": "anthropic_runner", "autogen_agentchat": "autogen"}
    users: dict[str, set[str]] = {name: set() for name in frameworks}
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = node.module if isinstance(node, ast.ImportFrom) else None
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in [module or "", *names]:
                if name.partition(".")[0] in frameworks:
                    users[name.partition(".")[0]].add(str(path.relative_to(PACKAGE)))
    expected = {name: {f"agents/{homes.get(name, name)}.py"} for name in frameworks}
    assert expected == users
