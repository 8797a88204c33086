"""Every page: links lead somewhere, blocks are what they say, commands do what is shown.

A page whose commands need more than the page itself has a test of its own.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from simharness.scenario.cases import FILE_KEYS
from simharness.scenario.load import find_files, load_file, load_text
from tests.docs.pages import Page
from tests.processes import ROOT

_DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [
    *_DOCS,
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
]
OWN = {"tutorial", "campaigns", "programs", "property-tests", "scenarios"}
"""The pages that a test of their own plays or reads."""

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def blocks(page: Path, *kinds: str) -> list[str]:
    """The blocks of a page that are in one of these languages."""
    found = _BLOCK.findall(page.read_text(encoding="utf-8"))
    return [body for kind, body in found if kind in kinds]


def name(page: Path) -> str:
    """What a page is called in a test id."""
    return page.stem


def anchors(page: Path) -> set[str]:
    """What a link to a heading of the page may name, as GitHub makes it."""
    text = re.sub(
        r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    plain = (re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", head).lower() for head in heads)
    return {re.sub(r"[^\w -]", "", head).strip().replace(" ", "-") for head in plain}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_somewhere(page: Path) -> None:
    """To a file that is there, and to a heading that it has."""
    text = re.sub(
        r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    wrong = []
    for link in _LINK.findall(text):
        if re.match(r"https?://", link):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file) if file else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    assert [] == wrong


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_blocks_are_in_the_language_that_they_name(page: Path) -> None:
    """Python compiles, TOML and JSON parse, and a scenario loads without a problem."""
    for body in blocks(page, "python"):
        ast.parse(body)
    for body in blocks(page, "toml"):
        tomllib.loads(body)
    for body in blocks(page, "json"):
        json.loads(body)
    for body in blocks(page, "yaml", "yml"):
        read = yaml.load(body, yaml.CSafeLoader)
        if isinstance(read, dict) and {"scenario", "model", "run"} & set(read):
            assert set(read) <= set(FILE_KEYS)
            keys = (("scenario", "scenario: example\n"), ("run", "run: [prompt: hi]\n"))
            missing = "".join(line for key, line in keys if key not in read)
            assert load_text(missing + body).cases


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "console") and page.stem not in OWN], ids=name
)
def test_commands_do_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    """In an empty folder, with the files of the page: someone who follows it sees what it shows."""
    if page.stem == "README" and find_spec("tinyagent") is None:
        pytest.skip("needs tinyagent")
    played = Page(page.read_text(encoding="utf-8"), tmp_path)

    played.play()

    assert 0 < played.commands


def test_pages_with_a_test_of_their_own_have_one() -> None:
    """By the name of the page."""
    tests = " ".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    assert [] == [page for page in sorted(OWN) if not re.search(rf'"docs" / "{page}.md"', tests)]


def test_the_readme_counts_the_suite() -> None:
    """Rounded down to hundreds."""
    (said,) = re.findall(r"the ([\d,]+) shipped cases", (ROOT / "README.md").read_text())
    cases = sum(len(load_file(file).cases) for file in find_files([ROOT / "scenarios"]))
    assert 0 <= cases - int(said.replace(",", "")) < 500


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """As `make docs` does it: nitpicky, warnings as errors."""
    words = ["-n", "-W", "--keep-going", "-q", str(ROOT / "docs"), str(tmp_path / "site")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *words], capture_output=True, text=True, check=False
    )

    assert (0, "") == (done.returncode, done.stderr)
    assert not {"search", "genindex"} & {page.stem for page in PAGES}  # these Sphinx makes itself
    assert all((tmp_path / "site" / f"{page.stem}.html").is_file() for page in _DOCS)
