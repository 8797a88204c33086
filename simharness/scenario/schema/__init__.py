"""The JSON Schema of scenario files, for editors: completion, hovers and a first check.

Built from the same tables that the loader reads by, so the two cannot drift apart silently; what a
schema cannot say (an anchor that no stream reaches, a tool that nobody defined) the loader says.
"""

from simharness.scenario.schema.document import as_text, schema

__all__ = ["as_text", "schema"]
