"""`make systems [ONLY="dsh tunacode"]`: claims about real releases, and how far they repeat.

Writes `reports/systems.md`. Fails where a claim does not hold.
"""

from __future__ import annotations

import sys

import attrs

from simharness.bridges.child import Child
from simharness.check import Bench
from simharness.choices import Schedule, ScheduleChooser
from simharness.report.atomic import write_text
from simharness.scenario.model import Case
from simharness.verdict import Verdict
from simharness.world.run import batch
from tests.systems import sdk
from tests.systems.children import ROOT, SDK, SDK_PACKAGES, SYSTEMS, System
from tests.systems.claims import CLAIMS, Claim, cases, seen

PAGE = ROOT / "reports" / "systems.md"


@attrs.frozen
class Row:
    """A claim, in how many of its cases it holds, and the first in which it does not."""

    claim: Claim
    held: int
    cases: int
    but: str


FAR: Schedule = tuple((point, 1) for point in range(0, 200, 3))
"""Every third point takes another option than the default schedule."""


def trial(case: Case, child: Child, schedule: Schedule = ()) -> Verdict:
    """One trial, on the default schedule if no other is given."""
    return Bench(case, child).trial(ScheduleChooser(schedule))


def judged(claim: Claim, child: Child) -> Row:
    """Play the cases of a claim."""
    wrong = []
    played = cases(claim.script)
    for case in played:
        found = seen(trial(case, child))
        if not claim.holds(found):
            wrong.append(f"{case.id}: shown {found.shown!r}, then sent {list(found.sent)}")
    return Row(claim, len(played) - len(wrong), len(played), wrong[0] if wrong else "")


def repeated(system: System, scripts: list[str]) -> tuple[int, int, int]:
    """Trials, those with the same trace again, and those with it in another process, too.

    Each case is played on the default schedule and far from it.
    """
    played = [(one, way) for script in scripts for one in cases(script) for way in ((), FAR)]
    texts = []
    for child in (system.child(PYTHONHASHSEED="1"), system.child(PYTHONHASHSEED="77")):
        for _ in range(2):
            verdicts = [trial(case, child, schedule) for case, schedule in played]
            texts.append([one.trace.text() for one in verdicts if one.trace is not None])
        child.stop()
    first, again, other, last = texts
    same = sum(one == two for one, two in zip(first, again, strict=True))
    triples = zip(first, other, last, strict=True)
    return len(played), same, sum(one == two == three for one, two, three in triples)


def page(rows: list[Row], repeats: dict[str, tuple[int, int, int]]) -> str:
    """The report."""
    lines = ["# Real systems over the process bridge", "", "`make systems` writes this page.", ""]
    lines += ["| release | claim | script | holds in |", "|---|---|---|---|"]
    lines += [
        f"| {one.system} | {one.says} | {one.script} | {row.held} of {row.cases} |"
        for row in rows
        for one in (row.claim,)
    ]
    lines += ["", "## How far they repeat", ""]
    lines += ["| release | trials | same trace again | and in another process, other hash seed |"]
    lines += ["|---|---|---|---|"]
    lines += [f"| {name} | {n} | {same} | {other} |" for name, (n, same, other) in repeats.items()]
    return "\n".join([*lines, ""])


def _sdk() -> tuple[list[str], list[str]]:
    """The lines about the Vercel AI SDK, and what nothing explains."""
    version, verdicts, strange = sdk.suite(SYSTEMS[SDK])
    counted = ", ".join(f"{number} {verdict}" for verdict, number in sorted(verdicts.items()))
    shown = ", ".join(f"`{name}`" for name in sdk.confirm(SDK_PACKAGES))
    title = f"## The Vercel AI SDK {version}"
    lines = [title, "", f"The portable suite, one trial a case: {counted}."]
    return [*lines, "", f"Shown in plain Node, too: {shown}.", ""], strange


def main() -> None:
    """Run all systems, or those whose names begin with a word that is given."""
    wanted = tuple(sys.argv[1:]) or ("",)
    chosen = {name: one for name, one in SYSTEMS.items() if name.startswith(wanted)}
    if not chosen:
        sys.exit(f"known systems: {', '.join(SYSTEMS)}")
    rows: list[Row] = []
    repeats: dict[str, tuple[int, int, int]] = {}
    for name, system in chosen.items():
        system.install()
        claims = [claim for claim in CLAIMS if claim.system == name]
        scripts = list(dict.fromkeys(claim.script for claim in claims)) or ["mid-stream"]
        with batch():
            child = system.child()
            rows += [judged(claim, child) for claim in claims]
            child.stop()
            repeats[name] = repeated(system, scripts)
    about, strange = _sdk() if SDK in chosen else ([], [])
    text = "\n".join([page(rows, repeats), *about])
    if wanted == ("",):
        write_text(PAGE, text)
    print(text)
    if strange:
        sys.exit("in no entry of docs/bugs-found.md:\n  " + "\n  ".join(strange))
    if broken := [row for row in rows if row.but]:
        sys.exit(
            "\n".join(f"{one.claim.system} {one.claim.says}: NOT in {one.but}" for one in broken)
        )


if __name__ == "__main__":
    main()
