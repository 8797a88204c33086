"""A campaign that is killed goes on; `python -m tests.killing 20` kills it more often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import killing

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("jobs", [0, 2])
def test_each_batch_is_counted_once_whenever_the_process_is_killed(
    jobs: int, tmp_path: Path
) -> None:
    """Two kills at drawn moments, and the report of a campaign that nobody disturbed."""
    survived = killing.survive(2, seed=jobs, folder=tmp_path, jobs=jobs)
    killing.check(survived, killing.report(killing.command(tmp_path, 2)))
