"""Pins: real bugs of released frameworks, each with a release that has it and one that does not.

`pins.yaml` says which, `scenarios/` holds what shows them. Each release is installed in a virtual
environment of its own and searched by `simharness run`, exactly as a user would.
"""
