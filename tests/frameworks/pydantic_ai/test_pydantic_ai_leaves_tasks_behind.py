"""pydantic-ai 2.68.0: a cancel around the start of a model request leaves a task pending for ever.

The run has ended with `RunCancelled` and its context is left, which should have drained it; a task
of its own (`ScopedTask`) stays. Run this file to see the task and the iteration.
"""

from __future__ import annotations

import pytest

pytest.importorskip("pydantic_ai")

from tests.frameworks.pydantic_ai.pydantic_ai_sweep import first, run_quietly

pytestmark = pytest.mark.framework


def test_a_task_outlives_the_cancelled_run() -> None:
    """There is an iteration at which a cancel leaves a ScopedTask that nothing ends."""
    seen = run_quietly(first(lambda cancelled: bool(cancelled.tasks)))
    assert seen is not None
    assert ["ScopedTask.__init__.<locals>.run"] == seen.tasks


if __name__ == "__main__":
    print(run_quietly(first(lambda cancelled: bool(cancelled.tasks))))
