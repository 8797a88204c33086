"""Settings of the reference loop: what a scenario's `agent:` may say, with defaults."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
from attrs.validators import ge, in_, instance_of, optional

__all__ = ["RetrySettings", "Settings"]

_COUNT = [instance_of(int), ge(0)]
_SECONDS = [instance_of((int, float)), ge(0.0)]


@attrs.frozen
class RetrySettings:
    """How often failed attempts are repeated. `delay` and `cap` are seconds.

    The defaults ride out a provider hiccup of some seconds without keeping a user waiting.
    """

    max: int = attrs.field(default=3, validator=_COUNT)
    delay: float = attrs.field(default=0.5, validator=_SECONDS)
    cap: float = attrs.field(default=10.0, validator=_SECONDS)


@attrs.frozen
class Settings:
    """`tools` says whether calls run side by side; `cap` limits how many do (None: all)."""

    turn_limit: int | None = attrs.field(default=None, validator=optional(_COUNT))
    tools: str = attrs.field(default="parallel", validator=in_({"parallel", "sequential"}))
    cap: int | None = attrs.field(default=None, validator=optional([instance_of(int), ge(1)]))
    retry: RetrySettings = attrs.field(factory=RetrySettings, validator=instance_of(RetrySettings))
    system: str = attrs.field(default="", validator=instance_of(str))

    def updated(self, words: Mapping[str, object]) -> tuple[Settings, set[str]]:
        """Settings with `words` applied, and the names that could not be applied."""
        settings, refused = self, set()
        for name, value in words.items():
            try:
                if name == "retry" and isinstance(value, Mapping):
                    value = attrs.evolve(settings.retry, **value)
                settings = attrs.evolve(settings, **{name: value})  # type: ignore[arg-type]
            except (TypeError, ValueError):
                refused.add(name)
        return settings, refused
