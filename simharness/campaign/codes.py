"""Writes the replay codes of findings. The form of a code belongs to `simharness.replay.code`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from simharness.campaign.shipped import suite_folder
from simharness.replay.code import ReplayCode, embeddable, recorded, sidecar, source_hash

if TYPE_CHECKING:
    from simharness.campaign.results import Finding, Identity

__all__ = ["Codes"]


@attrs.frozen
class Codes:
    """What the codes of one search have in common.

    `agent` is the name under which the agent is found again, `given` the files a reader has.
    """

    agent: str
    mode: str
    seed: int
    given: frozenset[str] = frozenset()
    drawn: str = ""  # the options that draw the trials again, if they were drawn

    def write(self, finding: Finding, identity: Identity | None) -> Finding:
        """`finding` with the code of its example.

        A case from a file that the reader does not have travels inside the code. If it is too long
        for that it is left out, and `file` names the one in which the front end has to keep it.
        """
        case, verdict = finding.example.case, finding.example.verdict
        known = case.place.file in self.given
        short = embeddable(case.source)
        code = ReplayCode(
            case=case.id,
            source_hash=source_hash(case.source),
            agent=self.agent or (identity.name if identity else ""),
            agent_version=identity.version if identity else "",
            mode=self.mode,
            seed=self.seed,
            deviations=recorded(verdict.course),
            trace_hash=verdict.trace_hash,
            source=case.source if short and not known else None,
        )
        file = "" if short else sidecar(source_hash(case.source))
        if known:
            file = "" if _in_suite(case.place.file) else case.place.file
        return attrs.evolve(finding, replay=code.encode(), file=file, drawn=self.drawn)


def _in_suite(file: str) -> bool:
    return Path(file).resolve().is_relative_to(suite_folder().resolve())
