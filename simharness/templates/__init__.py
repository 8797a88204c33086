"""Files that `simharness new` copies: an agent, a scenario, a CI workflow. Nothing imports them."""
