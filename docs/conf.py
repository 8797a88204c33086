"""Sphinx's settings for these pages; `make docs` builds them with warnings as errors."""

import simharness

project = "simharness"
author = "The simharness authors"
version = release = simharness.__version__
extensions = ["myst_parser"]
exclude_patterns = ["bugs-found/*"]
# Links that leave this folder lead somewhere in the repository only; tests/docs checks all links.
suppress_warnings = ["myst.xref_missing"]
myst_heading_anchors = 3  # as on GitHub: a link may name a heading
html_theme = "alabaster"
html_theme_options = {
    "description": "Deterministic simulation test harness for LLM agent loops",
    "fixed_sidebar": True,
    "page_width": "72rem",
}
html_show_sourcelink = False
html_show_copyright = False
