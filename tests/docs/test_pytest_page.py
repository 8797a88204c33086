"""The page about pytest and settings: nothing works that is not written down."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest

from simharness.project.settings import Settings, Waiver, load
from simharness.verdict import CaseVerdict

PAGE = (Path(__file__).parents[2] / "docs" / "pytest.md").read_text(encoding="utf-8")


def test_the_example_of_settings_is_read(tmp_path: Path) -> None:
    """Every key that there is stands in it."""
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "pyproject.toml").write_text(example, encoding="utf-8")

    settings = load(tmp_path)

    assert all(getattr(settings, field.name) for field in attrs.fields(Settings))
    assert "sweep-*-hang-*" == settings.waivers[0].case


@pytest.mark.parametrize(
    "word",
    [
        *(field.name for field in attrs.fields(Settings) if field.name != "folder"),
        *(field.name for field in attrs.fields(Waiver) if field.name != "place"),
        *CaseVerdict,
    ],
)
def test_every_key_and_verdict_is_documented(word: str) -> None:
    """In code font."""
    assert f"`{word}`" in PAGE


def test_every_option_of_the_plugin_is_documented(pytester: pytest.Pytester) -> None:
    """And every ini key."""
    shown = pytester.runpytest("--help", "-p", "no:asyncio").stdout.str()

    words = set(re.findall(r"--sim-[a-z-]+|\bsim_[a-z]+", shown))
    assert 6 == len(words)
    assert [] == [word for word in sorted(words) if f"`{word}`" not in PAGE]
