"""Settings for all tests: property tests draw the same examples each time, without a deadline."""

from hypothesis import settings

settings.register_profile("simharness", deadline=None, derandomize=True)
settings.load_profile("simharness")
