"""Hypothesis strategies: random cases, streams and schedules for property tests of an agent loop.

Whatever is drawn is a valid scenario whose `source` loads again, and shrinks to a small one. This
package is the only part of simharness that imports hypothesis.
"""

from __future__ import annotations

from simharness.strategies.answers import streams
from simharness.strategies.cases import cases
from simharness.strategies.kinds import of_kind
from simharness.strategies.schedules import schedules

__all__ = ["cases", "of_kind", "schedules", "streams"]
