"""Expectations: what a scenario says the reference loop does, against what a trial did."""
