"""Agents as child processes: a JSONL protocol on standard input and output, and its two ends.

`docs/bridges.md` is the protocol's reference. The child runs in real time and is driven in turns:
it is told one thing, reacts until nothing is left to do, and says that it is idle.
"""
