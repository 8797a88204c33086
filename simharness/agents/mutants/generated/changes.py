"""Changes: the sites of the loop's modules as values with a name, and agents that have one each.

What compiles to the program it was, or to one that another change has made already, is no change.
That this is worth doing: Papadakis and others, "Trivial Compiler Equivalence", ICSE 2015.
"""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from types import CodeType
from typing import TYPE_CHECKING, cast

import attrs

from simharness.agents.mutants.generated.copies import Copy, code_of, modules, source_of
from simharness.agents.mutants.generated.sites import Function, Site, functions, sites

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simharness.agent import AgentFactory

__all__ = ["Change", "changes", "make_changed"]

_NOT_THE_LOOP = frozenset({"bridge", "contract", "scripting", "settings"})
"""Modules that read or declare what a scenario sets, and the protocol in front of the loop."""
_SHOWN = 60  # characters of the text that a name quotes


@attrs.frozen(order=True)
class Change:
    """One change of the loop's source.

    `id` says what is done where, and stays the same when other lines are added or removed. It is
    the statement or expression from line `line` to line `last_line` of the module.
    """

    module: str
    line: int
    last_line: int
    id: str

    @property
    def file(self) -> str:
        """The file of the module, seen from the project's folder."""
        return f"simharness/agents/reference/{self.module}.py"


def changes(*beginnings: str) -> list[Change]:
    """The changes whose names begin like that, none: all; module by module, line by line."""
    found = (change for module in modules() for change in _changes(module, beginnings))
    return [change for change in found if change.id.startswith(beginnings or "")]


def make_changed(change: Change) -> AgentFactory:
    """Make the loop with one change; raises whatever loading it raises."""
    tree = ast.parse(source_of(change.module))
    site = next(site for one, site in _named(change.module, tree) if one == change)
    site.change()
    copy = Copy({change.module: code_of(change.module, tree)})
    return cast("AgentFactory", copy.module("__init__").ReferenceAgent)


def _changes(module: str, beginnings: tuple[str, ...]) -> tuple[Change, ...]:
    """The changes of a module if a name may begin like that: finding them takes a while."""
    stems = {beginning.partition(".")[0] for beginning in beginnings}
    wanted = not beginnings or any(module.startswith(stem) for stem in stems)
    return _of(module) if wanted and module not in _NOT_THE_LOOP else ()


@cache
def _of(module: str) -> tuple[Change, ...]:
    """The changes of one module that make another program each."""
    tree = ast.parse(source_of(module))
    known: set[object] = {_program(function) for _, function in functions(tree)}
    found = []
    for change, site in _named(module, tree):
        site.change()
        program = _program(site.function)
        site.change_back()
        if program not in known:
            known.add(program)
            found.append(change)
    return tuple(sorted(found))


def _named(module: str, tree: ast.Module) -> Iterator[tuple[Change, Site]]:
    """All sites of a module with a name each; the second of the same name gets a number."""
    seen: Counter[str] = Counter()
    for site in sites(tree):
        text = " ".join((ast.get_source_segment(source_of(module), site.old) or "").split())
        quoted = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        name = f"{module}.{site.name}: {site.kind} `{quoted}`"
        seen[name] += 1
        number = f" ({seen[name]})" if seen[name] > 1 else ""
        last_line = site.old.end_lineno or site.old.lineno
        yield Change(module, site.old.lineno, last_line, name + number), site


def _program(function: Function) -> object:
    """What a function does, without where it stands."""
    code = compile(ast.Module([function], []), "", "exec", dont_inherit=True)
    return function.name, _instructions(code)


def _instructions(code: CodeType) -> object:
    constants = tuple(
        _instructions(one) if isinstance(one, CodeType) else (type(one), one)
        for one in code.co_consts
    )
    return code.co_code, code.co_names, code.co_varnames, code.co_exceptiontable, constants
