"""The profiles: `make conformance` runs the suite under each."""

from __future__ import annotations

import re
from pathlib import Path

from simharness.agents.profiles import PROFILES
from simharness.agents.reference import ReferenceAgent

MAKEFILE = Path(__file__).parents[2] / "Makefile"


def test_make_conformance_runs_every_profile_with_a_contract_of_its_own() -> None:
    """A profile that only writes records in another way behaves as an earlier one does.

    One that only hands the loop out in another way is tried by the scenarios that name it.
    """
    awaited = [profile for profile in PROFILES if profile.front is ReferenceAgent]
    by_contract = {profile.contract: profile.name for profile in reversed(awaited)}
    (named,) = re.findall(r"^PROFILES := (.+)$", MAKEFILE.read_text("utf-8"), re.MULTILINE)
    assert sorted(by_contract.values()) == sorted(named.split())
