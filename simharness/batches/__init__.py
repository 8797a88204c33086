"""Campaigns in batches: many trials of a case at once, in any processes, with one result.

A batch is a plain value, and so is what comes of it. How a case is cut into batches depends on the
case and the plan alone, and results are counted in the order of the batches: so it does not matter
who runs them, how many there are, and which is done first. What was counted can be kept in a
`Store`, and is not run again.
"""

from __future__ import annotations

from simharness.batches.batch import Batch, Done, done
from simharness.batches.campaign import Campaign
from simharness.batches.ledger import Gain
from simharness.batches.means import Inline, Means
from simharness.batches.store import Store, StoreError

__all__ = ["Batch", "Campaign", "Done", "Gain", "Inline", "Means", "Store", "StoreError", "done"]
