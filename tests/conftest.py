"""Settings for all tests: property tests draw the same examples each time, without a deadline.

A test is no job of GitHub's, even where all tests are: what a command adds to a job, annotations
and the summary, is asked for by the tests about it.
"""

import os

from hypothesis import settings

settings.register_profile("simharness", deadline=None, derandomize=True)
settings.load_profile("simharness")

for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
    os.environ.pop(name, None)
