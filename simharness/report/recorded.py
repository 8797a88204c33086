"""A checked trace for people and for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.plural import plural
from simharness.recorded.rule import KEPT_MAX
from simharness.verdict import ExitCode

if TYPE_CHECKING:
    from simharness.recorded.checking import Checked

__all__ = ["as_object", "as_text"]

_WORDS = {
    ExitCode.HOLDS: "holds",
    ExitCode.BROKEN: "violated",
    ExitCode.BAD_INPUT: "refused",
}


def as_text(done: Checked, *, quiet: bool = False, verbose: bool = False) -> str:
    """What the trace breaks and where, what was judged, and what its format cannot show.

    `quiet` leaves only what is broken; `verbose` names the rules with their occasions.
    """
    tally = done.tally
    lines = [
        f"FAILED {found.rule} {done.place(found.spot)}: {found.message}" for found in done.findings
    ]
    lines += [
        f"... and {count - KEPT_MAX} more of {rule}"
        for rule, count in sorted(tally.broken.items())
        if count > KEPT_MAX
    ]
    if not quiet:
        lines += [f"NOTE {done.place(spot)}: {text}" for text, spot in tally.notes]
        if tally.notes_left_out:
            lines.append(f"... and {plural(tally.notes_left_out, 'more note')}")
    if done.refused is not None:
        lines.append(f"ERROR {done.refused}")
    elif not quiet:
        lines += _judged(done, verbose=verbose)
    return "\n".join([*lines, *([] if quiet else [""]), _summary(done)])


def _judged(done: Checked, *, verbose: bool) -> list[str]:
    """Which rules had something to judge, and which never can."""
    own = [rule.id for rule in done.format.rules]
    universal = list(done.format.universal)
    occasions = done.tally.occasions
    lines = [""] if done.tally.findings or done.tally.notes or done.refused else []
    for name, ids in (
        (f"rules of {done.format.name}", own),
        ("universal rules that it can show", universal),
    ):
        seen = sum(occasions[rule] > 0 for rule in ids)
        if ids:
            lines.append(f"{seen} of {len(ids)} {name} had something to judge.")
        if verbose:
            lines += [f"  {rule}: {occasions[rule]}" for rule in ids]
    lines.append("This format does not show:")
    lines += [f"  * {what}" for what in done.format.cannot_show]
    if done.unjudged:
        lines.append(
            f"So {plural(len(done.unjudged), 'universal rule')} never judge it"
            + (":" if verbose else "; --verbose names them.")
        )
        lines += [f"  {rule}" for rule in done.unjudged] if verbose else []
    return lines


def _summary(done: Checked) -> str:
    events = plural(done.tally.events, "event")
    broken = sum(done.tally.broken.values())
    what = _WORDS[done.exit_code].upper()
    told = f"{what} {done.file}: {done.format.title}, {events}"
    if broken:
        rules = plural(len(done.tally.broken), "rule")
        told += f"; {rules} broken, {plural(broken, 'time')}"
    return told


def as_object(done: Checked) -> dict[str, object]:
    """The same as JSON; no clock is in it."""
    tally, refused = done.tally, done.refused
    return {
        "file": done.file,
        "trace_format": done.format.name,
        "verdict": _WORDS[done.exit_code],
        "events": tally.events,
        "violations": [
            {
                "rule": found.rule,
                "message": found.message,
                "line": found.spot[0],
                "column": found.spot[1],
            }
            for found in done.findings
        ],
        "broken": dict(sorted(tally.broken.items())),
        "occasions": {rule: count for rule, count in sorted(tally.occasions.items()) if count},
        "notes": [
            {"message": text, "line": spot[0], "column": spot[1]} for text, spot in tally.notes
        ],
        "refused": None
        if refused is None
        else {
            "message": refused.message,
            "line": refused.place.line,
            "column": refused.place.column,
        },
        "cannot_show": list(done.format.cannot_show),
        "unjudged": list(done.unjudged),
    }
