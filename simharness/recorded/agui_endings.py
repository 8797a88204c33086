"""How an AG-UI run ends: what must be closed, what an outcome holds, what usage adds up to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from simharness.recorded.reading import quoted

if TYPE_CHECKING:
    from simharness.recorded.agui_brackets import Brackets
    from simharness.recorded.reading import Spot
    from simharness.recorded.rule import Tally

__all__ = ["Endings"]

_PARTS: Final = (
    ("reasoningTokens", "outputTokens"),
    ("cachedInputTokens", "inputTokens"),
    ("inputTokens", "totalTokens"),
    ("outputTokens", "totalTokens"),
)
_COUNTS: Final = tuple(dict.fromkeys(name for pair in _PARTS for name in pair))


class Endings:
    """Judges RUN_FINISHED, and the usage of RUN_ERROR."""

    def __init__(self, tally: Tally, brackets: Brackets) -> None:
        self._tally = tally
        self._brackets = brackets

    def finished(self, event: dict[str, Any], spot: Spot) -> str:
        """Judge the end of a run and return the type of its outcome; absent means success."""
        outcome = event.get("outcome")
        outcome = outcome if isinstance(outcome, dict) else {"type": "success"}
        kind = str(outcome.get("type"))
        cancelled = kind == "cancelled"
        rule = "agui-cancelled-closes-first" if cancelled else "agui-closed-at-finish"
        left = self._brackets.open_things()
        text = f"RUN_FINISHED while something is open: {', '.join(left)}."
        self._tally.demand(rule, not left, text, spot)
        if cancelled:
            text = "A run with the outcome cancelled has a result."
            none = event.get("result") is None
            self._tally.demand("agui-cancelled-without-result", none, text, spot)
        elif kind == "interrupt":
            problem = self._interrupts(outcome.get("interrupts"))
            self._tally.demand("agui-outcome", not problem, problem, spot)
        elif kind == "success":
            self._pending(outcome.get("pendingToolCallIds"), spot)
        else:
            self._tally.note(f"The outcome {quoted(kind)} is unknown and was passed over.", spot)
        self.usage(event, spot)
        return kind

    def _interrupts(self, found: object) -> str:
        if not isinstance(found, list) or not found:
            return "The outcome interrupt comes without an interrupt."
        ids = [one.get("id") if isinstance(one, dict) else None for one in found]
        if not all(type(name) is str for name in ids):
            return "An interrupt has no id."
        return "" if len(set(ids)) == len(ids) else "Two interrupts have the same id."

    def _pending(self, named: object, spot: Spot) -> None:
        if named is None:
            return  # older producers do not say
        wanted = self._brackets.unanswered()
        names = {str(one) for one in named} if isinstance(named, list) else {quoted(named)}
        wrong = sorted(names ^ wanted)
        shown = ", ".join(map(quoted, wrong[:3]))
        text = f"pendingToolCallIds and the calls without a result differ by {shown}."
        self._tally.demand("agui-outcome", not wrong, text, spot)

    def usage(self, event: dict[str, Any], spot: Spot) -> None:
        """Judge the token counts of an end."""
        usage = event.get("usage")
        for entry in usage if isinstance(usage, list) else ():
            problem = _miscounted(entry)
            self._tally.demand("agui-usage", not problem, problem, spot)


def _miscounted(entry: object) -> str:
    if not isinstance(entry, dict):
        return f"A usage entry is an object, not {quoted(entry)}."
    for name in _COUNTS:
        count = entry.get(name)
        if count is not None and (type(count) is not int or count < 0):
            return f"{name} is {quoted(count)}; it is a count."
    for part, whole in _PARTS:
        counted = entry.get(part) is not None and entry.get(whole) is not None
        if counted and entry[part] > entry[whole]:
            return f"{part} {entry[part]} is more than {whole} {entry[whole]}."
    return ""
