"""Recorded traces under the rules: `simharness check`.

A trace is a file that somebody recorded: our own JSON lines, AG-UI events, an ACP connection, a
provider's stream. Each format has its rules and a checker, a state machine over payloads;
`checking` is the flow. Nothing here runs an agent, and nothing keeps a trace.
"""
