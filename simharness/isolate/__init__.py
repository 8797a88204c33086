"""Trials in worker processes: what cannot be survived within a process costs one worker.

`Fleet` is what front ends use: it checks cases as `check.check_case` does, in as many processes as
asked for, and turns the death of one into a verdict. `Crew` tries generated mutants. Nothing here
runs unless a command asks for it.
"""

from __future__ import annotations

from simharness.isolate.crew import Crew
from simharness.isolate.fleet import Fleet
from simharness.isolate.process import UnusableError
from simharness.isolate.settings import Isolation, Setup

__all__ = ["Crew", "Fleet", "Isolation", "Setup", "UnusableError"]
