"""Replay codes: one failing trial as a short text that anyone can run again."""
