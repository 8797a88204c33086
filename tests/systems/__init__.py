"""Real systems over the process bridge: what was seen of them by hand has to come out again."""
