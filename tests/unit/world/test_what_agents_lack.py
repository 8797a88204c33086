"""What an agent cannot do makes a case not applicable, before anything of it is played."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from simharness.agent import CancelWay, NotApplicable
from simharness.choices import ScheduleChooser
from simharness.scenario.model import Action, CancelAction, Case, OtherAction, PromptAction
from simharness.world.run import run
from tests.loops import Loop


class Hooked(Loop):
    """Can script middleware and nothing else."""

    def script_hooks(self, hooks: Mapping[str, object]) -> set[str]:
        return set(hooks) - {"middleware"}


class Cancellable(Loop):
    """Has a cancel that knows no queue."""

    cancel_ways = frozenset({CancelWay.API})

    def cancel(self, way: CancelWay, reason: str) -> None:
        del way, reason


def case(*actions: Action, hooks: Mapping[str, object] | None = None) -> Case:
    """A prompt, then `actions`."""
    return Case("case", "case", actions=(PromptAction("hi"), *actions), hooks=hooks or {})


@pytest.mark.parametrize(
    ("agent", "wanted", "lack"),
    [
        (Loop, case(hooks={"middleware": "allow"}), "no hooks to script at middleware"),
        (Hooked, case(hooks={"middleware": "allow", "on_error": "allow"}), "at on_error"),
        (Loop, case(PromptAction("", continues=True)), "no `continue`"),
        (Loop, case(OtherAction("steer", {"text": "x"})), "no `steer`"),
        (Cancellable, case(CancelAction(queue="drop")), "what becomes of its queue"),
        (Loop, case(CancelAction(queue="drop")), "what becomes of its queue"),
    ],
)
def test_what_an_agent_lacks_is_named(agent: type[Loop], wanted: Case, lack: str) -> None:
    """The reason says what is missing."""
    with pytest.raises(NotApplicable, match=lack):
        run(wanted, agent, ScheduleChooser())


def test_what_an_agent_has_is_applied() -> None:
    """A hook that can be scripted and a cancel that says nothing of a queue are no obstacle."""
    done = run(case(hooks={"middleware": "allow"}), Hooked, ScheduleChooser())
    assert range(1, 2) == done.trace.runs()
    assert range(1, 2) == run(case(CancelAction()), Cancellable, ScheduleChooser()).trace.runs()
