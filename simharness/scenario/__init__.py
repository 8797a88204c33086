"""Scenarios: the model, the YAML loader and the matrix. Knows nothing of asyncio or agents."""
