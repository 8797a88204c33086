"""Beside other tools that run asyncio in simulated time: cost, and how soon a bug is found.

`make bench-peers` runs every tool in a virtual environment of its own, with the same Python.
"""
