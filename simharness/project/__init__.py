"""Project settings: `[tool.simharness]`, waivers and baselines."""
