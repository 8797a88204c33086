"""The steps of a stream: one node each.

An unquoted reserved word is a step, every other scalar is a text delta, a mapping of one key is a
step with a value. `streams` puts steps together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.scenario.blocks import BLOCK_MARKS, read_block, read_delta
from simharness.scenario.calls import read_args, read_call
from simharness.scenario.model import (
    EndKind,
    EndStep,
    ErrorSpec,
    Mark,
    MarkStep,
    OpaqueStep,
    ReasoningStep,
    Step,
    TextStep,
    UsageStep,
    WaitStep,
)
from simharness.scenario.nodes import ListNode, Node, ScalarNode
from simharness.scenario.problems import closest, did_you_mean, listed
from simharness.scenario.vocabulary import EXCEPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from simharness.scenario.fields import Reader

__all__ = ["FINISH_REASONS", "STEP_NAMES", "read_step"]

FINISH_REASONS = ("stop", "tool_calls", "length", "refusal", "content_filter", "incomplete")
"""What `finish:` may say."""

PROVIDER_ABORT = "provider"
"""The reason of an abort that nobody asked for."""

_SLIP = 0.75  # a bare word this much like a reserved one is a slip, not text

_ERROR_KEYS = ("message", "kind", "retryable", "retry_after")
_RAISE_KEYS = ("as",)


def read_step(reader: Reader, node: Node) -> Step | None:
    """Return the step that `node` says; None after a complaint."""
    if isinstance(node, ScalarNode):
        return _scalar_step(reader, node)
    if isinstance(node, ListNode):
        reader.wrong(node, "a step is a text, a reserved word or {step: value}, not a list")
        return None
    if len(node.pairs) != 1:
        reader.wrong(node, f"a step has one key, this has {len(node.pairs)}: write one step each")
        return None
    key, value = node.pairs[0]
    read = _VALUED.get(key.text)
    if read is None:
        return _unvalued(reader, key, value)
    return read(reader, value)


def _scalar_step(reader: Reader, node: ScalarNode) -> Step | None:
    word = node.text
    if not node.plain:
        return TextStep(word)
    if node.value is None:
        reader.wrong(node, "an empty step")
        return None
    if word in _BARE:
        return _BARE[word]
    if word in _VALUED:
        reader.wrong(
            node, f'the step "{word}" needs a value, as in {{{word}: ...}}; quote it if it is text'
        )
        return None
    slip = _slip(word)
    if slip:
        reader.wrong(
            node,
            f'"{word}" looks like the step "{slip}"; did you mean that? Quote it if it is text',
        )
        return None
    return TextStep(word)


def _slip(word: str) -> str | None:
    """The reserved word that a bare word was probably meant to be."""
    if len(word) < 4 or not word.replace("_", "").replace("-", "").isalpha() or not word.islower():
        return None
    return closest(word, STEP_NAMES, at_least=_SLIP)


def _unvalued(reader: Reader, key: ScalarNode, value: Node) -> Step | None:
    """A mapping step whose key takes no value: fine if it has none."""
    step = _BARE.get(key.text)
    if isinstance(step, MarkStep) and step.mark in BLOCK_MARKS:
        return MarkStep(step.mark, read_block(reader, value))
    if step is None:
        guess = did_you_mean(key.text, STEP_NAMES)
        reader.wrong(key, f'unknown step "{key.text}"{guess} Known steps: {listed(STEP_NAMES)}')
    elif not (isinstance(value, ScalarNode) and value.value is None):
        reader.wrong(value, f'the step "{key.text}" takes no value')
    return step


# --- steps with a value -----------------------------------------------------------------------


def _usage(reader: Reader, node: Node) -> UsageStep:
    if isinstance(node, ListNode):
        numbers = [reader.whole(item, "a token count") for item in node.items]
        if len(numbers) == 2:
            return UsageStep(numbers[0], numbers[1])
        reader.wrong(node, '"usage" is [input, output], two token counts')
        return UsageStep(0, 0)
    keys = reader.keys(node, "usage", ("input", "output"))
    return UsageStep(keys.whole("input"), keys.whole("output"))


def _finish(reader: Reader, node: Node) -> EndStep:
    if isinstance(node, ScalarNode) and node.value is None:
        return _end(EndKind.FINISH)
    return _end(EndKind.FINISH, reader.word(node, "finish reason", FINISH_REASONS) or "stop")


def _abort(reader: Reader, node: Node) -> EndStep:
    if isinstance(node, ScalarNode) and node.value is None:
        return _end(EndKind.ABORT, PROVIDER_ABORT)
    return _end(EndKind.ABORT, reader.filled(node, "the reason of an abort"))


def _error(reader: Reader, node: Node) -> EndStep:
    return _end(EndKind.ERROR, error=_error_spec(reader, node))


def _raise(reader: Reader, node: Node) -> EndStep:
    return _end(EndKind.RAISE, error=_error_spec(reader, node, *_RAISE_KEYS))


def _error_spec(reader: Reader, node: Node, *more: str) -> ErrorSpec:
    default = ErrorSpec()
    if isinstance(node, ScalarNode):
        return default if node.value is None else ErrorSpec(node.text)
    keys = reader.keys(node, "an error", (*_ERROR_KEYS, *more))
    raised_as = keys.get("as") if more else None
    return ErrorSpec(
        keys.text("message", default.message),
        kind=keys.text("kind", default.kind),
        retryable=keys.flag("retryable"),
        retry_after_s=keys.seconds("retry_after") if "retry_after" in keys else None,
        raised_as=(raised_as and reader.word(raised_as, "exception", EXCEPTIONS)) or "",
    )


def _end(kind: EndKind, reason: str = "", error: ErrorSpec | None = None) -> EndStep:
    return EndStep(kind, reason, error, written=True)


_VALUED: dict[str, Callable[[Reader, Node], Step]] = {
    "text": lambda reader, node: TextStep(*read_delta(reader, node, "text")),
    "reasoning": lambda reader, node: ReasoningStep(*read_delta(reader, node, "reasoning")),
    "opaque": lambda reader, node: OpaqueStep(*read_delta(reader, node, "an opaque block")),
    "call": read_call,
    "args": read_args,
    "usage": _usage,
    "wait": lambda reader, node: WaitStep(reader.seconds(node, "a wait")),
    "finish": _finish,
    "error": _error,
    "abort": _abort,
    "raise": _raise,
}

# A bare `finish` leaves its reason open: `streams` knows whether there was a call.
_BARE: dict[str, Step] = {
    "finish": _end(EndKind.FINISH),
    "error": _end(EndKind.ERROR, error=ErrorSpec()),
    "abort": _end(EndKind.ABORT, PROVIDER_ABORT),
    "raise": _end(EndKind.RAISE, error=ErrorSpec()),
    "close": _end(EndKind.CLOSE),
    "hang": _end(EndKind.HANG),
    **{str(mark): MarkStep(mark) for mark in Mark},
}

STEP_NAMES = tuple(dict.fromkeys([*_VALUED, *_BARE]))
"""Every step of the language; those with a bare form are reserved words."""
