"""Determinism: the same case, agent and schedule give the same bytes, everywhere."""
