"""The profile `connectome`: the loop as the agent framework of Connectome behaves.

After the change that tells a stop from a failure. What it did before, and what it still does wrong,
are mutants. Nothing of a cut answer stays but a note, and one terminal trace says why a stream
ended. Its words are written by `connectome_words`.
"""

from __future__ import annotations

from simharness.agents.profiles.connectome_words import projection
from simharness.agents.profiles.profile import Profile
from simharness.agents.reference import CONTRACT
from simharness.contract import Contract

__all__ = ["CONNECTOME", "INTERRUPTED"]

INTERRUPTED = "[turn-interrupted]"
"""What the model reads of an answer that a caller has stopped."""

FAILED = "[inference-failed]"
"""What it reads of a run that failed; never the error."""

CONNECTOME = Profile(
    name="connectome",
    about="Connectome: a stopped answer leaves a note and nothing else, a shutdown not even that",
    contract=CONTRACT.overridden(
        Contract(
            cut_message="removed",
            cut_mark="none",
            cancel_marker=f"note({INTERRUPTED})",
            cancel_marker_when="always",
            empty_cancel="nothing",
            unstarted_call="round-dropped",
            late_tool_result="dropped",
            foreign_abort_after_cancel="failure",
            failed_final=f"note({FAILED})",
            retry_after_visible_output="with-boundary",
            turn_scope="stream",
            abort_visible="yes",
        )
    ),
    projection=projection,
)
