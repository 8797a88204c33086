"""The store: each result once, none lost, and no mixing of campaigns."""

from __future__ import annotations

import contextlib
import functools
import sqlite3
from typing import TYPE_CHECKING

import attrs
import pytest

from simharness.agents import find
from simharness.batches import Batch, Campaign, Done, Inline, Means, Store, StoreError, done
from simharness.scenario.load import load_text
from simharness.world.run import batch as trials
from tests.campaigns import CASES, FORGETFUL, PLAN, TEXT, inline, outlines, serial

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ABOUT = {"agent": FORGETFUL, "seed": "5"}


@pytest.fixture(autouse=True)
def one_batch() -> Iterator[None]:
    """Opening a batch of trials for each executor costs more than its trials."""
    with trials():
        yield


class Counting:
    """Runs batches, counts them, and stops like Ctrl-C before it has run more than `most`."""

    def __init__(self, most: int = 1000) -> None:
        self.left = most
        self.ran: list[str] = []

    def __call__(self, batch: Batch) -> Done:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        self.ran.append(batch.key)
        return done(find(FORGETFUL), batch)


def kept(path: Path, call: Counting, about: dict[str, str] = ABOUT) -> list[object]:
    """The campaign with a store."""
    with (
        Store(path, about) as store,
        Campaign(Means(Inline, call), agent=FORGETFUL, store=store) as campaign,
    ):
        return outlines(serial(checker=campaign))


@pytest.mark.parametrize("most", [0, 1, 2, 5])
def test_an_interrupted_campaign_goes_on_where_it_ended(most: int, tmp_path: Path) -> None:
    """No batch runs twice, none is left out, and the result is that of one go."""
    path = tmp_path / "store.sqlite"
    first, second = Counting(most), Counting()
    with pytest.raises(KeyboardInterrupt):
        kept(path, first)
    assert outlines(serial()) == kept(path, second)
    ran = [*first.ran, *second.ran]
    assert len(set(ran)) == len(ran)
    assert most == len(first.ran)


def test_a_finished_campaign_runs_nothing_again(tmp_path: Path) -> None:
    """Its report is written from the store."""
    path = tmp_path / "store.sqlite"
    everything, nothing = Counting(), Counting(0)
    assert kept(path, everything) == kept(path, nothing)
    assert [] == nothing.ran


def test_what_is_kept_can_be_read_with_sql(tmp_path: Path) -> None:
    """Cases, trials and causes stand beside the pickles."""
    path = tmp_path / "deep" / "store.sqlite"
    kept(path, Counting())
    with contextlib.closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT case_id, sum(trials), max(findings) > 0 FROM batches GROUP BY ledger"
        ).fetchall()
    suite = serial()
    assert [(one.case.id, one.trials, 1) for one in suite.results] == rows


def test_a_result_is_not_written_twice(tmp_path: Path) -> None:
    """A second one for the same batch is a fault of ours and changes nothing."""
    batch = Batch(CASES[0], "strict", 0, ())
    result = done(find(FORGETFUL), batch)
    with Store(tmp_path / "store.sqlite", ABOUT) as store:
        store.keep(0, batch, result)
        with pytest.raises(sqlite3.IntegrityError):
            store.keep(0, batch, result)
        assert 1 == store.size


class TestMistakes:
    def test_a_store_of_another_campaign_is_refused(self, tmp_path: Path) -> None:
        """What differs is said; nothing is changed in the file."""
        path = tmp_path / "store.sqlite"
        kept(path, Counting())
        with pytest.raises(StoreError, match='seed was "5" and is "6"'):
            kept(path, Counting(), ABOUT | {"seed": "6"})
        assert kept(path, Counting(0))

    def test_a_changed_scenario_is_refused(self, tmp_path: Path) -> None:
        """Its stored trials are not those that would run now."""
        path = tmp_path / "store.sqlite"
        kept(path, Counting())
        (changed, *_) = load_text(TEXT.replace("One. ", "Uno. ")).cases
        with (
            Store(path, ABOUT) as store,
            Campaign(inline(), agent=FORGETFUL, store=store) as campaign,
            pytest.raises(StoreError, match="the scenarios, the agent or simharness have changed"),
        ):
            serial([changed], checker=campaign)

    def test_other_trials_than_those_that_are_kept_are_refused(self, tmp_path: Path) -> None:
        """A batch is known by what it runs, not by its number alone."""
        path = tmp_path / "store.sqlite"
        kept(path, Counting())
        with (
            Store(path, ABOUT) as store,
            Campaign(inline(), agent=FORGETFUL, store=store) as campaign,
            pytest.raises(StoreError, match="Begin a new store"),
        ):
            serial(plan=attrs.evolve(PLAN, strategy="random"), checker=campaign)

    def test_two_campaigns_do_not_write_to_one_file(self, tmp_path: Path) -> None:
        """The second says so and leaves."""
        path = tmp_path / "store.sqlite"
        with Store(path, ABOUT), pytest.raises(StoreError, match="another campaign is writing to"):
            Store(path, ABOUT)

    def test_a_file_that_is_no_store_is_left_alone(self, tmp_path: Path) -> None:
        """Whatever it is, it is somebody's."""
        path = tmp_path / "notes.txt"
        path.write_text("remember the milk\n" * 100)
        with pytest.raises(StoreError, match="cannot be used as a store"):
            Store(path, ABOUT)
        assert path.read_text().startswith("remember")

    def test_a_folder_that_cannot_be_made_is_said(self, tmp_path: Path) -> None:
        """A file stands in the way."""
        (tmp_path / "file").write_text("")
        with pytest.raises(StoreError, match="cannot open the store"):
            Store(tmp_path / "file" / "store.sqlite", ABOUT)


def test_deaths_are_not_kept(tmp_path: Path) -> None:
    """Memory may have been short: a campaign that goes on tries again."""
    first = CASES[0]
    with Store(tmp_path / "store.sqlite", ABOUT) as store:
        call = functools.partial(dying, lambda batch: batch.number == 1)
        with Campaign(Means(Inline, call), agent=FORGETFUL, store=store) as campaign:
            (bad,) = serial([first], checker=campaign).results
        assert "ends its worker" in bad.reason
        assert 1 == store.size
        with Campaign(inline(), agent=FORGETFUL, store=store) as campaign:
            assert outlines(serial([first])) == outlines(serial([first], checker=campaign))


def dying(dies: object, batch: Batch) -> Done:
    """Run a batch, or lose it as a pool does."""
    from concurrent.futures import BrokenExecutor

    assert callable(dies)
    if dies(batch):
        raise BrokenExecutor("killed")
    return done(find(FORGETFUL), batch)
