"""What the suite says of public bug reports: one row per report, checked and written as a page."""
