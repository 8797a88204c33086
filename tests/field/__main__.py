"""`make coverage`: writes reports/coverage.md."""

from __future__ import annotations

from simharness.campaign.shipped import suite_folder
from simharness.report.atomic import write_text
from simharness.scenario.load import find_files, load_file
from tests.field.page import as_markdown
from tests.field.rows import ROOT, read_rows


def main() -> None:
    """Write the page; what it says is checked by `pytest tests/field`."""
    scenarios = [load_file(path) for path in find_files([suite_folder()])]
    write_text(ROOT / "reports" / "coverage.md", as_markdown(read_rows(), scenarios))
    print("wrote reports/coverage.md")


if __name__ == "__main__":
    main()
