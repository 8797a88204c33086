"""Script playback: the scenario's model streams as objects an agent reads from."""
