"""pydantic-ai 2.68.0: a cancel one loop iteration after the last chunk loses the whole response.

The event that ends the text part was delivered, so the consumer has the full answer, and the
history that `RunCancelled` hands back has no response at all. `RunCancelled` promises the partial
response of an interrupted stream. Run this file to see the iteration.
"""

from __future__ import annotations

import pytest

pytest.importorskip("pydantic_ai")

from tests.frameworks.pydantic_ai.pydantic_ai_sweep import first, run_quietly

pytestmark = pytest.mark.framework


def test_a_response_that_was_delivered_in_full_is_missing_from_the_history() -> None:
    """There is an iteration at which everything was shown and nothing is kept."""
    seen = run_quietly(first(lambda cancelled: cancelled.text_ended and not cancelled.kept))
    assert seen is not None


if __name__ == "__main__":
    print(run_quietly(first(lambda cancelled: cancelled.text_ended and not cancelled.kept)))
