"""Profiles: the reference loop behaving as real systems do, each described in its words.

A profile is a contract and a projection. How a contract makes the loop behave is decided in
`reference/`; what a trace looks like in a system's own words, in the file of its profile.
"""

from __future__ import annotations

from simharness.agents.profiles.connectome import CONNECTOME
from simharness.agents.profiles.deepseek_harness import DEEPSEEK_HARNESS
from simharness.agents.profiles.deepseek_harness_v2 import DEEPSEEK_HARNESS_V2
from simharness.agents.profiles.iterated import ITERATED
from simharness.agents.profiles.profile import Profile, Projection
from simharness.agents.profiles.retry_safe import YOAGENT_RETRY_SAFE
from simharness.agents.profiles.tunacode import TUNACODE
from simharness.agents.profiles.yoagent import YOAGENT

__all__ = ["DEEPSEEK_HARNESS", "PROFILES", "Profile", "Projection", "find_profile"]

PROFILES: tuple[Profile, ...] = (
    YOAGENT,
    YOAGENT_RETRY_SAFE,
    DEEPSEEK_HARNESS,
    DEEPSEEK_HARNESS_V2,
    TUNACODE,
    CONNECTOME,
    ITERATED,
)


def find_profile(name: str) -> Profile:
    """A profile by its name; raises KeyError."""
    return {profile.name: profile for profile in PROFILES}[name]
