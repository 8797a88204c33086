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

__all__ = ["Function", "Site", "functions", "sites"]

Function = ast.FunctionDef | ast.AsyncFunctionDef
_DECLARATIONS = (
    Function
    | ast.ClassDef
    | ast.Import
    | ast.ImportFrom
    | ast.Assert
    | ast.Pass
    | ast.Global
    | ast.Nonlocal
)


@attrs.frozen(eq=False)
class _Spot:
    """Where a node stands: in the field `field` of `parent`, at `place` if that is a list."""

    node: ast.stmt | ast.expr
    parent: ast.AST
    field: str
    place: int | None

    def put(self, node: ast.AST) -> None:
        if self.place is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.place] = node


_Change = tuple[str, _Spot, ast.stmt | ast.expr]  # kind, where, and what is put there


@attrs.frozen(eq=False)
class Site:
    """One change of the function that has the qualified name `name`."""

    name: str
    function: Function
    kind: str
    spot: _Spot
    new: ast.stmt | ast.expr

    @property
    def old(self) -> ast.stmt | ast.expr:
        """What is changed."""
        return self.spot.node

    def change(self) -> None:
        """Make the change."""
        self.spot.put(self.new)

    def change_back(self) -> None:
        """Take it back."""
        self.spot.put(self.old)


def sites(tree: ast.Module) -> Iterator[Site]:
    """All changes of the functions of a module."""
    for name, function in functions(tree):
        once = _bound_once(function)
        for node in _own(function):
            for kind, spot, new in (*_deletions(node, once), *_conditions(node)):
                yield Site(name, function, kind, spot, new)


def functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Functions and methods by their qualified names; those within functions too."""
    for child in ast.iter_child_nodes(node):
        name = f"{prefix}{getattr(child, 'name', '')}"
        if isinstance(child, Function):
            yield name, child
        nested = isinstance(child, Function | ast.ClassDef)
        yield from functions(child, f"{name}." if nested else prefix)


# --- statements -----------------------------------------------------------------------------------


def _deletions(node: ast.AST, once: set[str]) -> Iterator[_Change]:
    if isinstance(node, Function) and node.name == "__init__":
        return
    for spot in _below(node):
        statement = spot.node
        if isinstance(statement, ast.stmt) and _deletable(statement, once):
            yield "delete", spot, ast.copy_location(ast.Pass(), statement)


def _deletable(statement: ast.stmt, once: set[str]) -> bool:
    """Whether a program without it is another one. An `if` goes when its condition is forced."""
    if isinstance(statement, _DECLARATIONS | ast.If | ast.While):
        return False
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return False
    return not _names(statement) & once


def _bound_once(function: Function) -> set[str]:
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


def _conditions(node: ast.AST) -> Iterator[_Change]:
    for spot in _below(node):
        old = spot.node
        assigns = any(isinstance(part, ast.NamedExpr) for part in ast.walk(old))
        if assigns or not isinstance(old, ast.expr):
            continue
        tested = spot.field in {"test", "ifs", "guard"} and not isinstance(old, ast.Constant)
        if tested or _is_truth(old):
            for value in (True, False):
                yield str(value).lower(), spot, ast.copy_location(ast.Constant(value), old)
        if isinstance(old, ast.BoolOp):
            yield from _operands(old, spot)


def _operands(old: ast.BoolOp, spot: _Spot) -> Iterator[_Change]:
    """Each operand dropped: what is left decides alone."""
    for number, operand in enumerate(old.values):
        left = old.values[:number] + old.values[number + 1 :]
        rest = left[0] if len(left) == 1 else ast.copy_location(ast.BoolOp(old.op, left), old)
        yield f"without {ast.unparse(operand)} in", spot, rest


def _is_truth(node: ast.expr) -> bool:
    """Whether an expression can only be true or false, wherever it stands."""
    if isinstance(node, ast.BoolOp):
        return all(_is_truth(value) for value in node.values)
    negation = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return negation or isinstance(node, ast.Compare)


# --- the tree -------------------------------------------------------------------------------------


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """A function and all that is in it, but for other functions and assertions."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, Function | ast.ClassDef | ast.Assert):
            yield from _own(child)


def _below(node: ast.AST) -> Iterator[_Spot]:
    """The statements and expressions directly below a node."""
    for field, value in ast.iter_fields(node):
        found = enumerate(value) if isinstance(value, list) else [(None, value)]
        for place, one in found:
            if isinstance(one, ast.stmt | ast.expr):
                yield _Spot(one, node, field, place)
