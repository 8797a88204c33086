"""Which except and finally blocks ran: what counts as a block, and what is said about it."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import pytest

from simharness.campaign.blocks import Block, Measured, measured
from simharness.report.blocks import as_object, as_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOURCE = '''"""An agent with ways to fail."""

try:
    import nothing_of_this_name
except ImportError:
    nothing_of_this_name = None


def act(fault=None, deep=False):
    try:
        if fault:
            raise fault
    except ValueError:  # one that happens
        if deep:
            print("deep")
        return "value"
    except KeyError:
        try:
            return "key"
        finally:
            print("within")
    # a comment
    finally:
        done = True
    return "fine"


async def later():
    try:
        return 1
    except* OSError:
        pass  # pragma: no cover
'''


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a package that holds one module."""
    folder = tmp_path / "failing_agent"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "loop.py").write_text(SOURCE.replace("        return 1", "        x = 1"))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "failing_agent"
    for name in ("failing_agent", "failing_agent.loop"):
        sys.modules.pop(name, None)


def test_blocks_of_functions_are_measured(agent: str) -> None:
    """What was entered, what in part, what never; not what runs at import or is excluded."""
    with measured([agent]) as found:
        act = importlib.import_module(f"{agent}.loop").act
        assert ("fine", "value") == (act(), act(ValueError()))

    lines = SOURCE.splitlines()
    said = [(lines[b.line - 1].strip(), b.entered, len(b.missed)) for b in found.blocks]
    assert [
        ("except ValueError:  # one that happens", True, 1),
        ("except KeyError:", False, 3),
        ("finally:", False, 1),
        ("finally:", True, 0),
    ] == said
    assert {"failing_agent/loop.py"} == {block.file for block in found.blocks}
    assert "except ValueError:" == found.blocks[0].words


def test_a_single_module_can_be_measured(agent: str) -> None:
    """Its file has the name of the module, dots being folders."""
    with measured([f"{agent}.loop"]) as found:
        pass

    assert {"failing_agent/loop.py"} == {block.file for block in found.blocks}
    assert not any(block.entered for block in found.blocks)


def test_a_module_that_does_not_exist_is_named() -> None:
    """Before anything runs."""
    with pytest.raises(ImportError, match="no_such_agent"), measured(["no_such_agent"]):
        raise AssertionError("nothing may run")


BLOCKS = (
    Block("agent/a.py", 3, 9, "except ValueError:", 4, (5, 6, 7, 9)),
    Block("agent/a.py", 5, 6, "finally:", 1, (6,)),
    Block("agent/a.py", 12, 20, "except KeyError:", 5, (13, 14, 16)),
    Block("agent/b.py", 4, 5, "finally:", 1),
)


def test_people_read_what_was_missed() -> None:
    """Not what was reached, nor what lies within a block that was never entered."""
    lines = as_text(Measured(["agent"], BLOCKS)).splitlines()

    head = "Coverage of agent: 4 except or finally blocks, 2 never entered, 1 in part"
    assert head == lines[0]
    assert [
        ["agent/a.py:3", "except", "ValueError:", "never", "entered"],
        ["agent/a.py:12", "except", "KeyError:", "lines", "13-14,", "16"],
    ] == [line.split() for line in lines[4:]]


def test_nothing_missed_is_one_line() -> None:
    """A table of nothing would be in the way."""
    said = as_text(Measured(["agent"], BLOCKS[3:]))

    assert "Coverage of agent: 1 except or finally block, 0 never entered, 0 in part" == said


def test_machines_read_all_blocks() -> None:
    """Those that were reached whole miss nothing."""
    value = as_object(Measured(["agent"], BLOCKS[2:]))

    assert {
        "modules": ["agent"],
        "blocks": [
            {
                "file": "agent/a.py",
                "line": 12,
                "block": "except KeyError:",
                "entered": True,
                "missed": [13, 14, 16],
            },
            {
                "file": "agent/b.py",
                "line": 4,
                "block": "finally:",
                "entered": True,
                "missed": [],
            },
        ],
    } == value
