"""The matrix: every framework that has an adapter, against the sweep and the portable suite.

`make frameworks` runs each in a virtual environment of its own and writes `reports/frameworks.md`
and `.json`. Numbers of trials are fixed, so two runs give the same result.
"""
