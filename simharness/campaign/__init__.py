"""Campaigns: how far to search, adding up what was found, refining it, and the built-in sweeps.

Everything between one judged trial and a report. `simharness.check` is the way in.
"""
