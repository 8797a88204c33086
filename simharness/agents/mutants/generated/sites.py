"""Sites: where a module can be changed, and into what. Knows syntax, and nothing of agents.

Two kinds of change, after the two operators that studies of mutation testing found to be worth most
for their number: delete one statement (Deng, Offutt and Li, "Empirical Evaluation of the Statement
Deletion Mutation Operator", ICST 2013), and force one condition, or drop one operand of an `and` or
`or` (the "remove conditionals" mutator of PIT, pitest.org).

Left out is what is no fault of logic: declarations, docstrings and assertions, and what a stricter
language would not even compile: a local name, or an attribute set by `__init__`, without its value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import attrs

__all__ = ["Site", "sites"]

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_DECLARATIONS = (
    _Function
    | ast.ClassDef
    | ast.Import
    | ast.ImportFrom
    | ast.Assert
    | ast.Pass
    | ast.Global
    | ast.Nonlocal
)


@attrs.frozen(eq=False)
class Site:
    """One change: `old`, a part of the function `name`, gives way to `new`.

    It stands in the field `field` of `parent`, at `place` if that is a list.
    """

    name: str
    kind: str
    old: ast.stmt | ast.expr
    new: ast.stmt | ast.expr
    parent: ast.AST
    field: str
    place: int | None = None

    def put(self, node: ast.AST) -> None:
        """Put `new` in, or `old` back."""
        if self.place is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.place] = node


def sites(tree: ast.Module) -> Iterator[Site]:
    """All changes of the functions of a module, in the order of the text."""
    for name, function in _functions(tree, ""):
        once = _bound_once(function)
        for node in _own(function):
            yield from _deletions(name, node, once)
            yield from _conditions(name, node)


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, _Function]]:
    """Functions and methods by their qualified names; those within functions too."""
    for child in ast.iter_child_nodes(node):
        name = f"{prefix}{getattr(child, 'name', '')}"
        if isinstance(child, _Function):
            yield name, child
        nested = isinstance(child, _Function | ast.ClassDef)
        yield from _functions(child, f"{name}." if nested else prefix)


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """A function and all that is in it, but for other functions and assertions."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _Function | ast.ClassDef | ast.Assert):
            yield from _own(child)


# --- statements -----------------------------------------------------------------------------------


def _deletions(name: str, node: ast.AST, once: set[str]) -> Iterator[Site]:
    if isinstance(node, _Function) and node.name == "__init__":
        return
    for field in ("body", "orelse", "finalbody"):
        body = getattr(node, field, None)
        for place, statement in enumerate(body if isinstance(body, list) else ()):
            if _deletable(statement, once):
                new = ast.copy_location(ast.Pass(), statement)
                yield Site(name, "delete", statement, new, node, field, place)


def _deletable(statement: ast.stmt, once: set[str]) -> bool:
    """Whether a program without it is another one. An `if` goes when its condition is forced."""
    if isinstance(statement, _DECLARATIONS | ast.If | ast.While):
        return False
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return False
    return not _names(statement) & once


def _bound_once(function: _Function) -> set[str]:
    """The names that exactly one statement of a function assigns."""
    bound = [name for node in _own(function) if isinstance(node, ast.stmt) for name in _names(node)]
    return {name for name in bound if bound.count(name) == 1}


def _names(statement: ast.stmt) -> set[str]:
    """The local names that an assignment, or an `as`, binds."""
    match statement:
        case ast.Assign(targets):
            found = targets
        case ast.AnnAssign(target):
            found = [target]
        case ast.With(items) | ast.AsyncWith(items):
            found = [item.optional_vars for item in items if item.optional_vars is not None]
        case _:
            found = []
    parts = (node for target in found for node in ast.walk(target))
    return {n.id for n in parts if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


# --- conditions -----------------------------------------------------------------------------------


def _conditions(name: str, node: ast.AST) -> Iterator[Site]:
    for field, place, child in _expressions(node):
        if any(isinstance(part, ast.NamedExpr) for part in ast.walk(child)):
            continue
        tested = field in {"test", "ifs", "guard"}
        if (tested and not isinstance(child, ast.Constant)) or _is_truth(child):
            for value in (True, False):
                new = ast.copy_location(ast.Constant(value), child)
                yield Site(name, str(value).lower(), child, new, node, field, place)
        if isinstance(child, ast.BoolOp):
            yield from _operands(name, child, node, field, place)


def _operands(
    name: str, both: ast.BoolOp, parent: ast.AST, field: str, place: int | None
) -> Iterator[Site]:
    """Each operand dropped: what is left decides alone."""
    for number, operand in enumerate(both.values):
        left = both.values[:number] + both.values[number + 1 :]
        rest = left[0] if len(left) == 1 else ast.copy_location(ast.BoolOp(both.op, left), both)
        yield Site(name, f"without {ast.unparse(operand)} in", both, rest, parent, field, place)


def _expressions(node: ast.AST) -> Iterator[tuple[str, int | None, ast.expr]]:
    """The expressions directly below a node, and where they stand."""
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            yield field, None, value
        elif isinstance(value, list):
            found = enumerate(value)
            yield from ((field, place, one) for place, one in found if isinstance(one, ast.expr))


def _is_truth(node: ast.expr) -> bool:
    """Whether an expression can only be true or false, wherever it stands."""
    if isinstance(node, ast.BoolOp):
        return all(_is_truth(value) for value in node.values)
    negation = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return negation or isinstance(node, ast.Compare)
