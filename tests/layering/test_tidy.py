"""House rules that a reader relies on: short functions and files, no clock or socket outside."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "simharness"
FUNCTION_LINES = 50
FILE_LINES = 600
MODULES = sorted(PACKAGE.rglob("*.py"))

BANNED = {
    ("time", "time"),
    ("time", "sleep"),
    ("time", "monotonic"),
    ("random", "random"),
    ("random", "choice"),
    ("random", "seed"),
    ("uuid", "uuid4"),
    ("os", "urandom"),
}
"""Wall clocks and randomness belong to world/; seeded `random.Random` objects are fine."""


def name(path: Path) -> str:
    """The module's path within the package."""
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_functions_and_files_stay_short(path: Path) -> None:
    """No function above 50 lines, no file above 600."""
    text = path.read_text(encoding="utf-8")
    assert FILE_LINES >= len(text.splitlines())
    long = [
        node.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > FUNCTION_LINES
    ]
    assert [] == long


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_every_module_says_what_it_owns(path: Path) -> None:
    """Each module begins with a docstring."""
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "path", [path for path in MODULES if not name(path).startswith("world/")], ids=name
)
def test_only_the_world_touches_clocks_and_randomness(path: Path) -> None:
    """No wall clock, module-level randomness or uuid outside world/."""
    found = [
        f"{node.func.value.id}.{node.func.attr} in line {node.lineno}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and (node.func.value.id, node.func.attr) in BANNED
    ]
    assert [] == found


@pytest.mark.parametrize(
    "path", [path for path in MODULES if not name(path).startswith("world/")], ids=name
)
def test_only_the_world_knows_asyncio_internals(path: Path) -> None:
    """Nobody else reads asyncio's private names."""
    text = path.read_text(encoding="utf-8")
    private = ("asyncio._", "asyncio.events.", "_log_traceback", "_fut_waiter", "_scheduled_tasks")
    assert [] == [word for word in private if word in text]
