"""Contract: what an agent promises.

Every field may be left `None`, which means *unspecified*: a rule that needs the field is then not
applicable, never violated. Values are the words of ARCHITECTURE.md, section Contract. Behaviour on
which real systems disagree on purpose lives here and not in the rules.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

__all__ = ["FAMILIES", "UNSPECIFIED", "VALUES", "Contract"]

FAMILIES = frozenset(
    {"agent", "turn", "message", "tool", "retry", "stream", "log", "attempt", "notice", "phase"}
)
"""Record families an agent can say it reports (`Contract.reports`)."""


@attrs.frozen(kw_only=True)
class Contract:
    """What one agent declares. Fields hold plain words so that YAML and JSON can name them."""

    # the message that a cancel cut
    cut_message: str | None = None  # kept | text-only | emptied | removed
    cut_mark: str | None = None  # flag | text(T) | stop-reason | none
    cancel_marker: str | None = None  # none | user-message(T) | note(T)
    cancel_marker_when: str | None = None  # always | calls-cut
    empty_cancel: str | None = None  # attempt-if-opened | empty-message | nothing
    # tools around a cancel
    unstarted_call: str | None = None  # answered | dropped | round-dropped
    late_tool_result: str | None = None  # real | aborted-error | dropped
    # failures
    foreign_abort_after_cancel: str | None = None  # stop | failure
    retried_attempt: str | None = None  # silent | announced
    failed_final: str | None = None  # nothing | empty-message | message | note(T)
    error_content: str | None = None  # dropped | kept
    empty_answer: str | None = None  # dropped | kept
    silent_close: str | None = None  # failed | completed
    calls_after_length: str | None = None  # dropped | answered
    calls_after_refusal: str | None = None  # dropped | answered
    # whose cancel, and what waits in queues
    cause_precedence: str | None = None  # mark-over-caller | first
    queue_on_cancel: str | None = None  # run | drop | park | per-cancel
    second_prompt: str | None = None  # reject | queue | interrupt | rollback
    steering: str | None = None  # next-boundary | next-turn
    # events and hooks
    tool_start_event: str | None = None  # before-middleware | after-middleware
    tool_starts: str | None = None  # each | up-front
    hooks_after_cancel: str | None = None  # none | rest-of-chain
    on_dispose: str | None = None  # terminal | silent
    turn_scope: str | None = None  # model-call | stream | run
    abort_visible: str | None = None  # yes | no
    # bounds
    cancel_grace: str | None = None  # 0 | fair (what None means)
    cancel_bound: str | None = None  # chunks(n) | seconds(s)
    idle_limit_s: str | None = None  # seconds | none
    generators: str | None = None  # closed (by the end of a run) | collected (some time later)
    # consumer and retries
    disconnect: str | None = None  # stops | carries-on
    retry_after_visible_output: str | None = None  # never | with-boundary | yes
    # what there is to judge
    reports: frozenset[str] = frozenset()  # record families, see FAMILIES
    store: str | None = None  # yes | no
    streaming: str | None = None  # both | streaming-only

    def declares(self, field: str) -> bool:
        """Whether the agent says anything about `field`."""
        return getattr(self, field) is not None

    def overridden(self, overrides: Contract) -> Contract:
        """This contract with every field that `overrides` declares in its place."""
        changes = {
            field.name: value
            for field in attrs.fields(Contract)
            if (value := getattr(overrides, field.name)) != field.default
        }
        return attrs.evolve(self, **changes)

    def text_in(self, field: str) -> str:
        """The text within `user-message(...)`, `note(...)` or `text(...)`; "" if there is none."""
        _, bracket, rest = (getattr(self, field) or "").partition("(")
        return rest[:-1] if bracket else ""

    @property
    def stop_note(self) -> str:
        """The note that a caller's stop leaves, and no other stop; "" if none is promised."""
        noted = (self.cancel_marker or "").startswith("note(")
        return self.text_in("cancel_marker") if noted else ""

    def spoken(self) -> dict[str, str]:
        """The declared fields as words, for reports and JSON."""
        words = {}
        for attribute in attrs.fields(Contract):
            value = getattr(self, attribute.name)
            if value:
                several = isinstance(value, frozenset)
                words[attribute.name] = " ".join(sorted(value)) if several else value
        return words


UNSPECIFIED = Contract()

VALUES: Mapping[str, tuple[str, ...]] = {
    "cut_message": ("kept", "text-only", "emptied", "removed"),
    "cut_mark": ("flag", "text()", "stop-reason", "none"),
    "cancel_marker": ("none", "user-message()", "note()"),
    "cancel_marker_when": ("always", "calls-cut"),
    "empty_cancel": ("attempt-if-opened", "empty-message", "nothing"),
    "unstarted_call": ("answered", "dropped", "round-dropped"),
    "late_tool_result": ("real", "aborted-error", "dropped"),
    "foreign_abort_after_cancel": ("stop", "failure"),
    "retried_attempt": ("silent", "announced"),
    "failed_final": ("nothing", "empty-message", "message", "note()"),
    "error_content": ("dropped", "kept"),
    "empty_answer": ("dropped", "kept"),
    "silent_close": ("failed", "completed"),
    "calls_after_length": ("dropped", "answered"),
    "calls_after_refusal": ("dropped", "answered"),
    "cause_precedence": ("mark-over-caller", "first"),
    "queue_on_cancel": ("run", "drop", "park", "per-cancel"),
    "second_prompt": ("reject", "queue", "interrupt", "rollback"),
    "steering": ("next-boundary", "next-turn"),
    "tool_start_event": ("before-middleware", "after-middleware"),
    "tool_starts": ("each", "up-front"),
    "hooks_after_cancel": ("none", "rest-of-chain"),
    "on_dispose": ("terminal", "silent"),
    "turn_scope": ("model-call", "stream", "run"),
    "abort_visible": ("yes", "no"),
    "cancel_grace": ("0", "fair"),
    "cancel_bound": ("chunks()", "seconds()"),
    "idle_limit_s": ("none", "a number"),
    "generators": ("closed", "collected"),
    "disconnect": ("stops", "carries-on"),
    "retry_after_visible_output": ("never", "with-boundary", "yes"),
    "store": ("yes", "no"),
    "streaming": ("both", "streaming-only"),
}
"""What each field of words may say. `word()` is a word with something in brackets: `text(...)`."""
