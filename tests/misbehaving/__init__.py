"""Agents that do everything an agent must not, and what becomes of them."""
