"""The process bridge: its messages, its turns, and children that break its rules."""
