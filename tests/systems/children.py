"""The real systems as children, each in an environment of its own, made when it is missing."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs

from simharness.bridges.child import Child

__all__ = ["ROOT", "SDK", "SDK_PACKAGES", "SYSTEMS", "System"]

ROOT = Path(__file__).parents[2]
_NODE = ROOT / ".venvs" / "node"
_PYTHON = ROOT / ".venvs" / "systems"
_BRIDGE = ROOT / "simharness" / "bridges" / "node"
SDK = "ai-sdk 6"
"""The newest release that runs on Node 20: version 7 asks for 22."""
SDK_PACKAGES = _NODE / "ai"
_DSH = (
    "agent-loop",
    "agent",
    "llm",
    "session",
    "system-prompt",
    "tools",
    "scope",
    "brand",
    "attachment",
    "invariants",
    "timeout",
    "typert-protocol",
    "code-runtime",
    "user-approval",
    "session-persistence",
    "settings",
)
"""The packages of DeepSeek Harness that its loop needs, without what they all begin with."""


@attrs.frozen
class System:
    """One release of a system: how it is installed and started."""

    name: str
    install: Callable[[], None]
    command: tuple[str, ...]
    env: Mapping[str, str] = attrs.field(factory=dict)

    def child(self, **env: str) -> Child:
        """A child of it, with more surroundings."""
        return Child(self.command, cwd=str(ROOT), env=self.environment(**env))

    def environment(self, **env: str) -> dict[str, str]:
        """The surroundings it starts in."""
        home = tempfile.mkdtemp(prefix="simharness-")  # what it keeps there is nobody's
        return {**os.environ, "HOME": home, **self.env, **env}


def _npm(folder: str, *packages: str) -> Callable[[], None]:
    home = _NODE / folder

    def install() -> None:
        if (home / "node_modules").exists():
            return
        home.mkdir(parents=True, exist_ok=True)
        (home / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        npm = ["npm", "install", "--legacy-peer-deps", "--no-audit", "--no-fund", "--silent"]
        subprocess.run([*npm, *packages], cwd=home, check=True)

    return install


def _node(name: str, folder: str, program: str, version: str, *packages: str) -> System:
    command = ("node", "--import", str(_BRIDGE / "resolve.mjs"), str(_BRIDGE / program))
    env = {"SIMHARNESS_NODE_ROOT": str(_NODE / folder), "SIMHARNESS_AGENT_VERSION": version}
    return System(name, _npm(folder, *packages), command, env)


def _dsh(candidate: str) -> System:
    version = f"0.1.0-{candidate}"
    packages = [f"@deepseek-ai/dsh-{part}@{version}" for part in _DSH]
    folder = f"dsh-{candidate.replace('.', '')}"
    cordis = "@deepseek-ai/cordis@4.0.4"
    return _node(f"dsh {version}", folder, "dsh.mjs", version, cordis, *packages)


def _tunacode(version: str, factory: str) -> System:
    home = _PYTHON / f"tunacode-{version}"
    python = home / "bin" / "python"

    def install() -> None:
        if python.exists():
            return
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--editable", str(ROOT), f"tunacode-cli=={version}"], check=True)

    served = f"tests.systems.tunacode:{factory}"
    command = (str(python), "-m", "simharness.bridges.python", served)
    return System(f"tunacode {version}", install, command)


SYSTEMS: Mapping[str, System] = {
    one.name: one
    for one in (
        _dsh("rc.6"),
        _dsh("rc.8"),
        _tunacode("0.1.48", "old"),
        _tunacode("0.1.49", "old"),
        _tunacode("0.2.3", "new"),
        _node(SDK, "ai", "ai_sdk.mjs", "6", "ai@6", "zod@4"),
    )
}
