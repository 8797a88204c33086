"""Generated mutants: every small change of one kind that can be made to the reference loop.

The written mutants show that each rule can bite. These, made by a program that knows nothing of
rules, measure what the suite lets pass.
"""

from __future__ import annotations

from simharness.agents.mutants.generated.changes import Change, changes, make_changed
from simharness.agents.mutants.generated.survivors import SURVIVORS

__all__ = ["SURVIVORS", "Change", "changes", "make_changed"]
