"""The table of pins, for people and for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from simharness.plural import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.field.judging import Judged, Side

__all__ = ["as_object", "as_text"]


def as_text(pins: Sequence[Judged], *, quiet: bool = False, verbose: bool = False) -> str:
    """One row per pin, what is not shown and why, and what went wrong.

    `quiet`: only the last. `verbose`: what each bug is and what was found of it, too.
    """
    heads = ["pin", "package", "versions", "rule", "buggy red?", "fixed green?", "trials", "CPU s"]
    shown = [one for one in pins if not one.pin.not_shown]
    table = tabulate([_row(one) for one in shown], heads, tablefmt="simple", disable_numparse=True)
    wrong = [one for one in shown if not one.right]
    faults = "\n".join(line for one in wrong for line in _faults(one))
    total = f"{plural(len(shown), 'pin')}: {len(shown) - len(wrong)} as expected, {len(wrong)} not"
    abouts = "\n".join(_about(one) for one in shown if verbose)
    missing = "\n".join(
        f"not shown: {pin.id} ({pin.report}): {pin.not_shown}"
        for pin in (one.pin for one in pins)
        if pin.not_shown
    )
    parts = [faults, total] if quiet else [table, abouts, missing, faults, total]
    return "\n\n".join(part for part in parts if part)


def _about(one: Judged) -> str:
    found = one.buggy.said if one.red and one.buggy is not None else ""
    lines = [
        f"{one.pin.id} ({one.pin.report}): {one.pin.about}",
        f"    found: {found or 'nothing'}",
    ]
    return "\n".join(lines)


def _row(one: Judged) -> tuple[str, ...]:
    pin = one.pin
    return (
        pin.id,
        pin.package,
        f"{pin.buggy} / {pin.fixed or '-'}",
        pin.rule,
        "red" if one.red else f"NO: {_state(one.buggy)}",
        ("green" if one.green else f"NO: {_state(one.fixed)}") if pin.fixed else "no such release",
        " / ".join(f"{side.trials:,}" for side in one.sides),
        " / ".join(f"{side.seconds:.1f}" for side in one.sides),
    )


def _state(side: Side | None) -> str:
    return "not searched" if side is None else side.state


def _faults(one: Judged) -> list[str]:
    """What a maintainer has to know about a pin of the wrong colour."""
    pin = one.pin
    return [
        f"FAILED {pin.id} {pin.package} {side.version}: expected {pin.rule} to be {wanted}, "
        f"but found {side.state}{f': {side.said}' if side.said else ''}"
        for side, wanted, fine in (
            (one.buggy, "violated", one.red),
            (one.fixed, "kept", one.green),
        )
        if side is not None and not fine
    ]


def as_object(pins: Sequence[Judged]) -> dict[str, object]:
    """The same as JSON; everything that a clock says stands under `timing`."""
    return {
        "pins": [_object(one) for one in pins],
        "timing": {
            one.pin.id: {
                name: side.seconds
                for name, side in (("buggy", one.buggy), ("fixed", one.fixed))
                if side is not None
            }
            for one in pins
        },
    }


def _object(one: Judged) -> dict[str, object]:
    pin = one.pin
    return {
        "id": pin.id,
        "about": pin.about,
        "report": pin.report,
        "package": pin.package,
        "rule": pin.rule,
        "agent": pin.agent,
        "scenario": pin.scenario,
        "right": one.right,
        "buggy": _side(one.buggy),
        "fixed": _side(one.fixed),
        "not_shown": pin.not_shown,
    }


def _side(side: Side | None) -> dict[str, object] | None:
    if side is None:
        return None
    return {
        "version": side.version,
        "state": side.state,
        "message": side.said,
        "replay": side.replay,
        "trials": side.trials,
    }
