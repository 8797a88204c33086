"""`simharness run --check-determinism`: does the same case give the same trace each time?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simharness.cli.options import find_agent
from simharness.plural import plural
from simharness.verdict import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.scenario.model import Case

__all__ = ["report_determinism"]

_SHOWN: Final = 10  # differences; more have the same few causes


def report_determinism(cases: Sequence[Case], agent: str) -> int:
    """Print each difference with its first differing record; 1 if there is any."""
    from simharness.campaign.twice import differences
    from simharness.cli.output import echo

    found, played = differences(cases, find_agent, agent)
    lines = [f"DIFFERS {one}" for one in found[:_SHOWN]]
    if len(found) > _SHOWN:
        lines.append(f"... and {len(found) - _SHOWN} more")
    said = plural(played, "case")
    if len(cases) > played:
        said += f" ({len(cases) - played} not applicable)"
    result = f"{len(found)} differences" if found else "the same traces"
    lines.append(
        f"{said} played twice in this process and in another under another hash seed: {result}"
    )
    echo("\n".join(lines))
    return ExitCode.BROKEN if found else ExitCode.HOLDS
