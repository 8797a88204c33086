"""Settings of the reference loop: what a scenario's `agent:` may say, with defaults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs
from attrs.validators import deep_iterable, ge, in_, instance_of, optional

__all__ = ["RetrySettings", "Settings"]

_COUNT = [instance_of(int), ge(0)]
_AT_LEAST_ONE = [instance_of(int), ge(1)]
_SECONDS = [instance_of((int, float)), ge(0.0)]


def _names(value: str | Iterable[str]) -> tuple[str, ...]:
    """One name or several."""
    return (value,) if isinstance(value, str) else tuple(value)


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
    """What can be set. Limits are per run; None is no limit.

    `tools` says how the calls of a response run: side by side (`cap` limits how many at once; None:
    all), one after the other, or in batches of `batch`. An `exclusive` tool runs alone in any case.
    After `loop_limit` equal responses in a row the model is nudged, after one more it is stopped.
    `guard` holds results, and refusals that are replayed, back for that long; None: there is none.
    `second_prompt` is what becomes of a prompt during a run, `queue_on_cancel` what becomes of
    queued messages if a cancel does not say. With `reads_on` a stream is read to its end; else it
    is left at its terminal, and what comes behind that is not seen. A stream that is silent for
    `idle_limit` seconds is given up as a failure.
    """

    turn_limit: int | None = attrs.field(default=None, validator=optional(_COUNT))
    tools: str = attrs.field(
        default="parallel", validator=in_({"parallel", "sequential", "batched"})
    )
    cap: int | None = attrs.field(default=None, validator=optional(_AT_LEAST_ONE))
    retry: RetrySettings = attrs.field(factory=RetrySettings, validator=instance_of(RetrySettings))
    system: str = attrs.field(default="", validator=instance_of(str))
    batch: int = attrs.field(default=2, validator=_AT_LEAST_ONE)
    exclusive: tuple[str, ...] = attrs.field(
        default=(), converter=_names, validator=deep_iterable(instance_of(str))
    )
    token_limit: int | None = attrs.field(default=None, validator=optional(_COUNT))
    time_limit: float | None = attrs.field(default=None, validator=optional(_SECONDS))
    loop_limit: int | None = attrs.field(default=None, validator=optional(_AT_LEAST_ONE))
    guard: float | None = attrs.field(default=None, validator=optional(_SECONDS))
    second_prompt: str = attrs.field(
        default="reject", validator=in_({"reject", "queue", "interrupt", "rollback"})
    )
    queue_on_cancel: str = attrs.field(default="park", validator=in_({"run", "drop", "park"}))
    reads_on: bool = attrs.field(default=False, validator=instance_of(bool))
    idle_limit: float | None = attrs.field(default=None, validator=optional(_SECONDS))

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
