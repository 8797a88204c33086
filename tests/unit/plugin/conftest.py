"""Loads the flow once: a session in this process forgets what it imports, and C extensions do not
survive that."""

import simharness.testing  # noqa: F401
