"""What the reference loop promises. Every row is proven by the suite and by the mutants."""

from __future__ import annotations

from simharness.contract import FAMILIES, Contract

__all__ = ["CANCEL_BOUND_S", "CONTRACT"]

CANCEL_BOUND_S = 1.0
"""How long a stream or tool that was told of a cancel may take before the loop stops waiting.

Long enough for a provider to answer the cancel with its usage, short enough for a user who waits.
"""

CONTRACT = Contract(
    cut_message="kept",
    cut_mark="flag",
    cancel_marker="none",
    empty_cancel="attempt-if-opened",
    unstarted_call="answered",
    late_tool_result="real",
    foreign_abort_after_cancel="stop",
    retried_attempt="silent",
    failed_final="nothing",
    error_content="dropped",
    empty_answer="dropped",
    silent_close="failed",
    calls_after_length="dropped",
    calls_after_refusal="answered",
    cause_precedence="mark-over-caller",
    queue_on_cancel="per-cancel",
    steering="next-boundary",
    second_prompt="reject",
    tool_start_event="after-middleware",
    tool_starts="each",
    hooks_after_cancel="none",
    on_dispose="terminal",
    turn_scope="model-call",
    abort_visible="no",
    cancel_grace="0",
    cancel_bound=f"seconds({CANCEL_BOUND_S:g})",
    retry_after_visible_output="never",
    reports=FAMILIES,
    generators="closed",
    store="yes",
    streaming="both",
)
