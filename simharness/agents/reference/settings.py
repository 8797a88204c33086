"""Settings of the reference loop: what a scenario's `agent:` may say, with defaults."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

__all__ = ["RetrySettings", "Settings"]


@attrs.frozen
class RetrySettings:
    """How failed attempts are repeated. Delays are seconds.

    The defaults ride out a provider hiccup of some seconds without keeping a user waiting.
    """

    max: int = 3
    delay: float = 0.5
    cap: float = 10.0


@attrs.frozen
class Settings:
    """`tools` is parallel or sequential; `cap` limits how many bodies run at once (None: all)."""

    turn_limit: int | None = None
    tools: str = "parallel"
    cap: int | None = None
    retry: RetrySettings = RetrySettings()
    system: str = ""

    def updated(self, words: Mapping[str, object]) -> tuple[Settings, set[str]]:
        """Settings with `words` applied, and the names that mean nothing here."""
        known = {a.name for a in attrs.fields(Settings)}
        changes = {name: value for name, value in words.items() if name in known}
        unknown = {name for name in words if name not in known}
        retry = changes.get("retry")
        if isinstance(retry, Mapping):
            parts = {a.name for a in attrs.fields(RetrySettings)}
            if not set(retry) <= parts:
                changes.pop("retry")
                unknown.add("retry")
            else:
                changes["retry"] = attrs.evolve(self.retry, **retry)
        return attrs.evolve(self, **changes), unknown  # type: ignore[arg-type]
