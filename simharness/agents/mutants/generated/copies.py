"""Copies of the reference loop: its modules once more, one of them changed.

A copy is in no `sys.modules` and touches nothing of the process. Its modules find each other by an
`__import__` of their own, and everything else where it always is, so that messages and records are
those of the harness.
"""

from __future__ import annotations

import ast
import builtins
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from simharness.agents import reference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["PACKAGE", "Copy", "code_of", "modules", "source_of"]

PACKAGE = reference.__name__
_FOLDER = Path(reference.__file__).parent


def modules() -> tuple[str, ...]:
    """The names of the modules of the loop, within its package."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.py") if path.stem != "__init__"))


def path_of(module: str) -> Path:
    """The file of a module of the loop."""
    return _FOLDER / f"{module}.py"


@cache
def source_of(module: str) -> str:
    """The text of a module of the loop."""
    return path_of(module).read_text("utf-8")


def code_of(module: str, tree: ast.Module) -> CodeType:
    """Compile a tree as the module; tracebacks show the lines of its file."""
    return compile(tree, str(path_of(module)), "exec", dont_inherit=True)


@cache
def _code(module: str) -> CodeType:
    return code_of(module, ast.parse(source_of(module)))


class Copy:
    """One copy. `changed` holds the code of the modules that differ."""

    def __init__(self, changed: Mapping[str, CodeType]) -> None:
        self._changed = changed
        self._loaded: dict[str, ModuleType] = {}
        self._builtins = {**vars(builtins), "__import__": self._import}

    def module(self, name: str) -> ModuleType:
        """A module of the copy, `__init__` being the package; it is run when first asked for."""
        if name not in self._loaded:
            dotted = PACKAGE if name == "__init__" else f"{PACKAGE}.{name}"
            module = self._loaded[name] = ModuleType(dotted)
            module.__dict__["__builtins__"] = self._builtins
            exec(self._changed.get(name) or _code(name), module.__dict__)  # noqa: S102 - our own
        return self._loaded[name]

    def _import(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002 - as in `builtins`
        locals: Mapping[str, Any] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        if name == PACKAGE:
            return self.module("__init__")
        if name.startswith(f"{PACKAGE}."):
            return self.module(name.removeprefix(f"{PACKAGE}."))
        return __import__(name, globals, locals, fromlist or (), level)
