"""Pinned timelines: the default trial of each case, kept as text beside its scenario.

One file per scenario file and agent, to be committed. A later run shows what changed. A pin judges
nothing: it tells that the agent behaves differently, not that it behaves wrongly.
"""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from simharness.agent import NotApplicable
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.report.atomic import write_text
from simharness.world.run import batch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from simharness.agent import AgentFactory
    from simharness.scenario.model import Case
    from simharness.verdict import Verdict

__all__ = ["compare", "pin_file"]

_HEAD = "# simharness pins 1: timelines of the default schedule; renew with run --update\n"
_CASE = "== "


def pin_file(scenario_file: str, agent: str) -> Path:
    """Where the timelines of `agent` for a scenario file are kept."""
    path = Path(scenario_file)
    word = re.sub(r"[^A-Za-z0-9_.-]+", "-", agent)
    return path.with_name(f"{path.name.removesuffix('.yaml').removesuffix('.sim')}.{word}.pins")


def compare(
    cases: Sequence[Case],
    factory: AgentFactory,
    agent: str,
    *,
    pin: bool,
    update: bool,
    trial: Callable[[Case], Verdict] | None = None,
) -> list[str]:
    """Compare each pinned timeline with the default trial of today; return the differences.

    `pin` adds timelines that are not kept yet, `update` also replaces those that changed. Without
    either, and without a pin file, nothing runs and nothing is written. `trial` runs the default
    schedule of a case elsewhere.
    """
    trial = trial or (lambda case: _trial(case, factory))
    by_file: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_file[case.place.file].append(case)
    changed: list[str] = []
    for file, group in by_file.items():
        path = pin_file(file, agent)
        kept = _read(path)
        if not kept and not pin and not update:
            continue
        now = _timelines(group if pin or update else [c for c in group if c.id in kept], trial)
        if update or (pin and now.keys() - kept.keys()):
            _write(path, kept | now if update else now | kept)
        if not update:
            changed += _differences(path, kept, now)
    return changed


def _trial(case: Case, factory: AgentFactory) -> Verdict:
    return Bench(case, factory, case.mode or "strict").trial(ScheduleChooser())


def _timelines(cases: Iterable[Case], trial: Callable[[Case], Verdict]) -> dict[str, str]:
    lines: dict[str, str] = {}
    with batch():
        for case in cases:
            try:
                verdict = trial(case)
            except NotApplicable:
                continue
            assert verdict.trace is not None, "a trial keeps its trace"
            lines[case.id] = verdict.trace.text()
    return lines


def _differences(path: Path, kept: dict[str, str], now: dict[str, str]) -> list[str]:
    found = []
    for case, text in kept.items():
        if case in now and now[case] != text:
            lines = difflib.unified_diff(
                text.splitlines(), now[case].splitlines(), "pinned", "now", lineterm="", n=2
            )
            found.append("\n".join([f"CHANGED {case} ({path})", *lines]))
    return found


def _read(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    kept: dict[str, str] = {}
    for block in path.read_text(encoding="utf-8").split(f"\n{_CASE}")[1:]:
        case, _, text = block.partition("\n")
        kept[case] = text.rstrip("\n")
    return kept


def _write(path: Path, timelines: dict[str, str]) -> None:
    blocks = [f"\n{_CASE}{case}\n{text}\n" for case, text in sorted(timelines.items())]
    write_text(path, _HEAD + "".join(blocks))
