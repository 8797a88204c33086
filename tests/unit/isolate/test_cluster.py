"""Campaigns on a Dask cluster: a real scheduler and two workers on loopback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simharness.agents import find
from simharness.cli import main
from simharness.isolate import Setup, UnusableError
from simharness.isolate.means import cluster
from simharness.isolate.remote import likeness
from tests.campaigns import FORGETFUL, TEXT, batched, outlines, serial
from tests.clusters import dask_cluster

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("distributed", reason="the extra dask is not installed")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One cluster for all tests: it takes seconds to start."""
    seed = likeness().hash_seed
    with dask_cluster(tmp_path_factory.mktemp("cluster"), PYTHONHASHSEED=seed) as address:
        yield address


def test_two_workers_report_what_one_process_reports(address: str) -> None:
    """Counts, coverage, findings and replay codes."""
    with cluster(address, Setup(find, FORGETFUL)) as means:
        assert 8 == means.ahead
        assert outlines(serial()) == outlines(batched(means))


def test_an_agent_that_the_workers_cannot_load_is_said(address: str) -> None:
    """The message of the worker comes through."""
    with (
        cluster(address, Setup(find, "tests.loops:no_such_factory")) as means,
        pytest.raises(UnusableError, match="no_such_factory"),
    ):
        batched(means)


def test_workers_that_are_not_alike_are_refused(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another hash seed may order sets in another way, and so change traces."""
    monkeypatch.setenv("PYTHONHASHSEED", "12")
    with (
        cluster(address, Setup(find, FORGETFUL)) as means,
        pytest.raises(UnusableError, match="they must be the same"),
    ):
        batched(means)


def test_the_command_explores_on_a_cluster(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The report is that of the command without a cluster."""
    file = tmp_path / "two.sim.yaml"
    file.write_text(TEXT)
    words = ["explore", str(file), "--agent", FORGETFUL, "--budget", "60"]
    assert 1 == main(words)
    here = capsys.readouterr().out
    assert 1 == main([*words, "--dask", address])
    assert here == capsys.readouterr().out
