"""Writes the generated pages of the documentation; `make docs` runs it first."""

from __future__ import annotations

from simharness.report.atomic import write_text
from tests.docs import reference, rulepage, tracerules
from tests.processes import ROOT

PAGES = {
    "scenario-reference.md": reference.page,
    "rules.md": rulepage.page,
    "trace-rules.md": tracerules.page,
}
"""The generated files below docs/, and what makes their text."""


def main() -> None:
    """Write each page whose text has changed."""
    for name, made in PAGES.items():
        file = ROOT / "docs" / name
        text = made()
        if not file.exists() or text != file.read_text(encoding="utf-8"):
            write_text(file, text)
            print(f"wrote docs/{name}")


if __name__ == "__main__":
    main()
