"""Replay codes: one failing trial as a short text that anyone can run again.

A code names the case and the agent, holds the schedule, and hashes of everything that was offered
and of everything that happened, so a replay that went another way says so and never passes
silently. Nothing here runs a trial or reads a file; how a code is written as text is in `codec`.
"""

from __future__ import annotations

import enum
import hashlib
import json
import sys
from typing import TYPE_CHECKING

import attrs

from simharness.replay import codec
from simharness.replay.codec import ReplayError

if TYPE_CHECKING:
    from simharness.choices import Course, Schedule

__all__ = [
    "SOURCE_MAX_BYTES",
    "Deviation",
    "Match",
    "MatchKind",
    "ReplayCode",
    "ReplayError",
    "compare",
    "differences",
    "embeddable",
    "label_hashes",
    "recorded",
    "sidecar",
    "source_hash",
]

SOURCE_MAX_BYTES = 2048
"""The most a scenario inside a code may take, compressed; longer lines break in terminals."""

_LABEL_MAX_CHARS = 32  # of a deviation's label: enough to recognise it


@attrs.frozen
class Deviation:
    """One choice other than option 0.

    `labels` hashes the labels of all options up to and including this point. `label` is the start
    of the label that was taken, for the reader.
    """

    point: int
    option: int
    options: int
    labels: str
    label: str = ""

    def __str__(self) -> str:
        return _option_words(self.option, self.options, self.label)


@attrs.frozen(kw_only=True)
class ReplayCode:
    """Everything that one trial needs to happen again.

    `case` is the id of the case and `source_hash` that of its text; `source` is the text itself if
    it stands in no file the reader has. `mode` and `seed` are those of the search.
    """

    case: str
    source_hash: str
    agent: str
    agent_version: str = ""
    python: str = attrs.field(factory=lambda: f"{sys.version_info[0]}.{sys.version_info[1]}")
    mode: str = "strict"
    seed: int = 0
    deviations: tuple[Deviation, ...] = ()
    trace_hash: str = ""
    source: str | None = None

    @property
    def schedule(self) -> Schedule:
        """The schedule to replay."""
        return tuple((deviation.point, deviation.option) for deviation in self.deviations)

    def encode(self) -> str:
        """Return the text form. Raises ReplayError if the embedded source is too long."""
        if self.source is not None and not embeddable(self.source):
            raise ReplayError(
                f"the scenario takes more than {SOURCE_MAX_BYTES} bytes compressed, too long for a "
                f"replay code: write it to {sidecar(self.source_hash)} and leave it out"
            )
        return codec.write(json.dumps(self._fields(), separators=(",", ":"), ensure_ascii=False))

    @classmethod
    def decode(cls, text: str) -> ReplayCode:
        """Read the text form. Raises ReplayError with a sentence that says what is wrong."""
        try:
            return cls._of_fields(json.loads(codec.read(text)))
        except (TypeError, json.JSONDecodeError) as error:
            raise ReplayError(f"this replay code is damaged: {error}") from error

    def _fields(self) -> list[object]:
        fields = [
            self.case,
            self.source_hash,
            self.trace_hash,
            self.agent,
            self.agent_version,
            self.python,
            self.mode,
            self.seed,
            [attrs.astuple(deviation) for deviation in self.deviations],
        ]
        return fields if self.source is None else [*fields, self.source]

    @classmethod
    def _of_fields(cls, fields: object) -> ReplayCode:
        if not isinstance(fields, list) or len(fields) not in {9, 10}:
            raise ReplayError(
                "this replay code is damaged: it does not hold the fields of format 1"
            )
        case, source, trace, agent, version, python, mode, seed, deviations = fields[:9]
        return cls(
            case=_text(case),
            source_hash=_text(source),
            trace_hash=_text(trace),
            agent=_text(agent),
            agent_version=_text(version),
            python=_text(python),
            mode=_text(mode),
            seed=_number(seed),
            deviations=tuple(_deviation(*deviation) for deviation in deviations),
            source=_text(fields[9]) if len(fields) == 10 else None,
        )


class MatchKind(enum.StrEnum):
    """How a replayed trial compares to the recorded one."""

    EXACT = "exact"
    DRIFTED_AT = "drifted at"
    DRIFTED_AFTER = "drifted after"


@attrs.frozen
class Match:
    """The result of `compare`. `point` is None if there is no deviation to name."""

    kind: MatchKind
    point: int | None = None
    recorded: str = ""
    now: str = ""

    @property
    def exact(self) -> bool:
        """The same trace, nothing less."""
        return self.kind is MatchKind.EXACT

    def __str__(self) -> str:
        if self.kind is MatchKind.EXACT:
            return "exact"
        if self.kind is MatchKind.DRIFTED_AT:
            return f"drifted at point {self.point} (recorded {self.recorded}, now {self.now})"
        if self.point is None:
            return "drifted on the default schedule"
        return f"drifted after point {self.point}"


def label_hashes(course: Course) -> list[str]:
    """Return for each point a hash of the labels of all options up to and including it."""
    digest = hashlib.blake2b(digest_size=4)
    hashes = []
    for point in course:
        labels = json.dumps([option.label for option in point.options])  # quotes keep them apart
        digest.update(labels.encode())
        hashes.append(digest.hexdigest())
    return hashes


def recorded(course: Course) -> tuple[Deviation, ...]:
    """Return the deviations of a finished trial as a replay code holds them."""
    hashes = label_hashes(course)
    return tuple(
        Deviation(
            number,
            point.chosen,
            len(point.options),
            hashes[number],
            point.options[point.chosen].label[:_LABEL_MAX_CHARS],
        )
        for number, point in enumerate(course)
        if point.chosen
    )


def compare(code: ReplayCode, course: Course, trace_hash: str) -> Match:
    """Compare a replayed trial with the code it was replayed from.

    Equal traces are exact, whatever the labels say. Otherwise the first deviation whose options
    changed is named; without one, what differs lies behind the last deviation.
    """
    if code.trace_hash == trace_hash:
        return Match(MatchKind.EXACT)
    hashes = label_hashes(course)
    for deviation in code.deviations:
        now = _now(deviation, course, hashes)
        if now:
            return Match(MatchKind.DRIFTED_AT, deviation.point, str(deviation), now)
    last = code.deviations[-1].point if code.deviations else None
    return Match(MatchKind.DRIFTED_AFTER, last)


def differences(code: ReplayCode, now: ReplayCode) -> list[str]:
    """Return a sentence for each part of the surroundings that is not as recorded."""
    parts = (
        ("case", code.case, now.case),
        ("scenario text", code.source_hash, now.source_hash),
        ("agent", code.agent, now.agent),
        ("agent version", code.agent_version, now.agent_version),
        ("Python", code.python, now.python),
        ("mode", code.mode, now.mode),
    )
    return [f"{name}: recorded {a or '-'}, now {b or '-'}" for name, a, b in parts if a != b]


def source_hash(source: str) -> str:
    """Return ten hex digits that tell one scenario text from another."""
    return hashlib.blake2b(source.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()


def embeddable(source: str) -> bool:
    """Tell whether `source` is short enough to travel inside a code."""
    return codec.packed_size(source) <= SOURCE_MAX_BYTES


def sidecar(hashed: str) -> str:
    """Return the path at which a scenario is kept that is too long for a code, by its hash."""
    return f".simharness/{hashed}.sim.yaml"


# --- fields -------------------------------------------------------------------------------------


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ReplayError(f"this replay code is damaged: {value!r} should be a text")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ReplayError(f"this replay code is damaged: {value!r} should be a number")
    return value


def _deviation(
    point: object, option: object, options: object, labels: object, label: object
) -> Deviation:
    return Deviation(_number(point), _number(option), _number(options), _text(labels), _text(label))


def _now(deviation: Deviation, course: Course, hashes: list[str]) -> str:
    """What stands at the deviation's point now; empty if nothing up to there changed."""
    if deviation.point >= len(course):
        return f"a trial of {len(course)} choice points"
    if hashes[deviation.point] == deviation.labels:
        return ""
    options = course[deviation.point].options
    if deviation.option >= len(options):
        return f"only {len(options)} options"
    label = options[deviation.option].label[:_LABEL_MAX_CHARS]
    now = _option_words(deviation.option, len(options), label)
    return now if now != str(deviation) else f"{now}, other options around it"


def _option_words(option: int, options: int, label: str) -> str:
    return f"option {option} of {options} ({label})"
