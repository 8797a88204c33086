"""What real producers send breaks nothing, cancels included; one event less, and it does."""

from pathlib import Path

import pytest

from simharness.recorded.checking import check_file
from simharness.recorded.formats import FORMATS
from tests.unit.recorded.recordings import broken, checked, texts

REAL = sorted(
    path for path in (Path(__file__).parent / "real").iterdir() if path.suffix in {".sse", ".jsonl"}
)


def form(path: Path) -> str:
    """The format of a recording, by its name."""
    return path.name.partition(".")[0]


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.stem)
def test_a_real_recording_breaks_nothing(path: Path) -> None:
    """No false alarm."""
    done = check_file(path, FORMATS[form(path)])
    assert done.refused is None
    assert [] == texts(done)


@pytest.mark.parametrize(
    "path",
    [path for path in REAL if '"type":"error"' not in path.read_text(encoding="utf-8")],
    ids=lambda path: path.stem,
)
def test_without_its_last_event_it_does(path: Path) -> None:
    """So the test above can fail. An error may be the last word of a stream, so those are out."""
    lines = path.read_text(encoding="utf-8").rstrip().splitlines()
    last = next(
        number
        for number in reversed(range(len(lines)))
        if "{" in lines[number] and "[DONE]" not in lines[number]
    )
    assert broken(checked(form(path), "\n".join(lines[:last])))


def test_the_recordings_are_of_three_formats() -> None:
    """With cancels among them."""
    assert {"agui", "vercel", "acp"} == {form(path) for path in REAL}
    marked = [path for path in REAL if "cancel" in path.read_text(encoding="utf-8")]
    assert 4 <= len(marked)
