"""Which `except` and `finally` blocks of an agent no trial entered, measured by coverage.py.

They are what an agent does when something goes wrong, and what a sweep is there to reach: one that
was never entered has never been judged. coverage.py is an extra, imported when it is asked for.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from coverage import Coverage

__all__ = ["Block", "Measured", "measured"]


@attrs.frozen
class Block:
    """One `except` or `finally` block in a function.

    `file` begins with the name of its package, `line` to `last` are its lines, `words` is the first
    without its comment. `missed` are the lines of statements in it that no trial executed, out of
    `statements`.
    """

    file: str
    line: int
    last: int
    words: str
    statements: int
    missed: tuple[int, ...] = ()

    @property
    def entered(self) -> bool:
        """Whether any trial executed some of it."""
        return len(self.missed) < self.statements


@attrs.define
class Measured:
    """The blocks of some modules; there are none until the measuring is over."""

    modules: Sequence[str]
    blocks: tuple[Block, ...] = ()


@contextlib.contextmanager
def measured(modules: Sequence[str]) -> Iterator[Measured]:
    """Measure what runs meanwhile, in this process, of packages and modules.

    Raises ImportError if coverage.py or one of `modules` does not exist.
    """
    from coverage import Coverage

    files = [file for module in modules for file in _files(module)]
    # No configuration of the project's and no data file: this is no coverage of its tests.
    coverage = Coverage(data_file=None, config_file=False, include=[str(file) for _, file in files])
    coverage.set_option("run:disable_warnings", ["no-data-collected"])  # the blocks say so
    found = Measured(tuple(modules))
    coverage.start()
    try:
        yield found
    finally:
        coverage.stop()
    found.blocks = tuple(block for name, file in files for block in _blocks(name, file, coverage))


def _files(module: str) -> list[tuple[str, Path]]:
    """The source files of a package or module, each with its name in reports."""
    spec = importlib.util.find_spec(module)
    if spec is None:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)
    if spec.submodule_search_locations is None:
        file = Path(spec.origin or "")
        return [(f"{module.replace('.', '/')}.py", file)] if file.suffix == ".py" else []
    files = []
    for folder in map(Path, spec.submodule_search_locations):
        for file in sorted(folder.rglob("*.py")):
            name = Path(module.replace(".", "/"), file.relative_to(folder)).as_posix()
            files.append((name, file))
    return files


def _blocks(name: str, file: Path, coverage: Coverage) -> Iterator[Block]:
    """The blocks of one file in the order of their lines."""
    source = file.read_text(encoding="utf-8", errors="replace")
    lines = source.splitlines()
    wanted = list(_handlers(ast.parse(source), lines))
    if not wanted:
        return
    _, statements, _, missing, _ = coverage.analysis2(str(file))
    unreached = set(missing)
    for line, body in sorted(wanted, key=lambda one: one[0]):
        inside = [number for number in statements if body[0].lineno <= number <= _last(body)]
        missed = tuple(number for number in inside if number in unreached)
        if inside:
            yield Block(name, line, _last(body), _words(lines[line - 1]), len(inside), missed)


def _handlers(
    tree: ast.AST, lines: Sequence[str], *, in_function: bool = False
) -> Iterator[tuple[int, Sequence[ast.stmt]]]:
    """The line and the body of each block in a function.

    What stands in modules and classes runs at import, and what may be missing there is optional.
    """
    for node in ast.iter_child_nodes(tree):
        inner = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if inner and isinstance(node, ast.Try | ast.TryStar):
            for handler in node.handlers:
                yield handler.lineno, handler.body
            if node.finalbody:
                yield _finally(node, lines), node.finalbody
        yield from _handlers(node, lines, in_function=inner)


def _words(line: str) -> str:
    return line.partition("  #")[0].strip()


def _last(body: Sequence[ast.stmt]) -> int:
    return max(node.end_lineno or node.lineno for node in body)


def _finally(node: ast.Try | ast.TryStar, lines: Sequence[str]) -> int:
    """The line of the keyword, which the syntax tree does not hold: it is the last one before."""
    first = node.finalbody[0].lineno
    above = range(first, node.lineno, -1)
    return next((n for n in above if lines[n - 1].lstrip().startswith("finally")), first)
