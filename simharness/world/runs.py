"""Which run is executing: a context variable that every task made under a prompt inherits."""

from __future__ import annotations

import contextvars

RUN: contextvars.ContextVar[int] = contextvars.ContextVar("simharness_run", default=0)
"""The run whose prompt task (or a task made under it) is executing; 0 outside any."""
