"""Sites: what is changed in a module, and what is left alone."""

from __future__ import annotations

import ast

from simharness.agents.mutants.generated.sites import sites


def kinds(text: str) -> list[str]:
    """The changes of a module, each with the text that gives way."""
    return [f"{site.kind} {ast.unparse(site.old)}" for site in sites(ast.parse(text))]


def programs(text: str) -> list[str]:
    """The module after each of its changes."""
    tree = ast.parse(text)
    found = []
    for site in sites(tree):
        site.change()
        found.append(ast.unparse(tree))
        site.change_back()
    assert text == ast.unparse(tree)
    return found


def test_a_statement_is_deleted() -> None:
    """`pass` stands in its place, and afterwards the module is what it was."""
    text = "def f(a):\n    a.go()\n    a.stop()"
    assert [
        "def f(a):\n    pass\n    a.stop()",
        "def f(a):\n    a.go()\n    pass",
    ] == programs(text)


def test_a_condition_is_forced_both_ways() -> None:
    """An `if` is not deleted besides: that is its condition forced to be false."""
    text = "def f(a):\n    if a:\n        a.go()"
    assert ["delete a.go()", "true a", "false a"] == kinds(text)


def test_an_operand_is_dropped() -> None:
    """What is left of an `and` decides alone; what is no condition is not forced."""
    assert ["delete return a or b", "without a in a or b", "without b in a or b"] == kinds(
        "def f(a, b):\n    return a or b"
    )
    assert "def f(a, b, c):\n    return a and c" in programs(
        "def f(a, b, c):\n    return a and b and c"
    )


def test_a_truth_is_forced_wherever_it_stands() -> None:
    """A comparison and a negation are decisions, also where they are returned."""
    assert ["delete return a > 1", "true a > 1", "false a > 1"] == kinds(
        "def f(a):\n    return a > 1"
    )
    assert ["delete g(x=not a)", "true not a", "false not a"] == kinds("def f(a):\n    g(x=not a)")


def test_conditions_of_loops_comprehensions_and_guards_are_forced() -> None:
    """`while True` has none."""
    text = "def f(a):\n    while a:\n        g([b for b in a if b])"
    assert ["true a", "false a", "true b", "false b"] == [
        kind for kind in kinds(text) if not kind.startswith("delete")
    ]
    guard = "def f(a):\n    match a:\n        case b if b.on:\n            b.go()"
    assert {"true b.on", "false b.on"} < set(kinds(guard))
    assert ["delete g()"] == kinds("def f():\n    while True:\n        g()")


def test_declarations_and_assertions_are_left_alone() -> None:
    """They say what there is, not what is done; so do the assignments of a constructor."""
    text = '''
LIMIT = 3
if LIMIT: LIMIT = 4
class C:
    """Words."""
    field: int = 0
    def __init__(self, a):
        """Words."""
        self.a = a
    def f(self):
        """Words."""
        import json
        assert self.a, "words"
        def inner(): ...
'''
    assert [] == kinds(text)


def test_the_only_assignment_of_a_local_name_is_left_alone() -> None:
    """Without it the name would not exist; one of two is a choice, and an attribute is state."""
    assert ["delete g(a)"] == kinds("def f():\n    a = 1\n    g(a)")
    assert ["delete a = 1", "delete a = 2"] == kinds("def f():\n    a = 1\n    a = 2")
    assert ["delete self.a = 1"] == kinds("class C:\n    def f(self):\n        self.a = 1")


def test_what_a_condition_assigns_is_kept() -> None:
    """A condition with `:=` is not forced."""
    assert ["delete g(a)"] == kinds("def f(b):\n    if (a := b):\n        g(a)")


def test_functions_in_functions_are_changed_once() -> None:
    """Each part belongs to the innermost function around it, named in full."""
    text = "class C:\n    def f(self):\n        def g():\n            h()\n        g()"
    found = [(site.name, site.kind) for site in sites(ast.parse(text))]
    assert [("C.f", "delete"), ("C.f.g", "delete")] == found
