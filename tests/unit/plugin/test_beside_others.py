"""The plugin beside other plugins, each session in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.plugin import scenarios

ROOT = Path(__file__).parents[3]

ASYNC_TESTS = """
import asyncio, random, time
import pytest
from tests.loops import good

@pytest.mark.asyncio
async def test_with_pytest_asyncio():
    before = time.monotonic()
    await asyncio.sleep(0)
    assert time.monotonic() >= before

@pytest.mark.anyio
async def test_with_anyio():
    await asyncio.sleep(0)

@pytest.fixture
def anyio_backend():
    return "asyncio"

@pytest.mark.asyncio
async def test_simulate_within_a_loop(simulate):
    with pytest.raises(RuntimeError, match="plain `def`"):
        simulate(good, "case.sim.yaml")
    await asyncio.sleep(0)

def test_random_is_not_disturbed(simulate):
    random.seed(7)
    expected = [random.random(), random.random()]
    random.seed(7)
    first = random.random()
    simulate(good, "case.sim.yaml")
    assert expected == [first, random.random()]
"""


@pytest.fixture
def crowd(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with scenarios and tests of several kinds."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    for name in ("case", "other", "third"):
        text = scenarios.TOOL.replace("one-tool", name)
        (pytester.path / f"{name}.sim.yaml").write_text(text)
    pytester.makepyfile(test_async=ASYNC_TESTS)
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    return pytester


@pytest.mark.parametrize(
    "options",
    [
        ("-p", "no:randomly"),
        ("-p", "randomly", "--randomly-seed=3"),
        ("-n2",),
        ("-n2", "--dist=loadfile", "--timeout=60"),
        ("--timeout=60", "--timeout-method=thread"),
    ],
    ids=["alone", "randomly", "xdist", "xdist-by-file", "timeout"],
)
def test_a_session_is_the_same_beside_other_plugins(
    crowd: pytest.Pytester, options: tuple[str, ...]
) -> None:
    """Scenarios, asynchronous tests and plain tests all pass, without a warning."""
    result = crowd.runpytest_subprocess("-W", "error", "--sim-agent=tests.loops:good", *options)

    assert {"passed": 7} == result.parseoutcomes()


@pytest.mark.parametrize("options", [("-p", "no:randomly"), ("-n2",)], ids=["alone", "xdist"])
def test_the_failure_text_comes_through(crowd: pytest.Pytester, options: tuple[str, ...]) -> None:
    """Also from another process, and into the JUnit file."""
    result = crowd.runpytest_subprocess(
        "--sim-agent=tests.loops:forgetful", "--junitxml=out.xml", *options
    )

    assert {"passed": 4, "failed": 3} == result.parseoutcomes()
    line = "Replay: simharness replay sh1:* case.sim.yaml"
    result.stdout.fnmatch_lines(["FAILED tool-pairing (case, agent loop): *", line])
    assert "FAILED tool-pairing (case, agent loop): " in (crowd.path / "out.xml").read_text()


def test_a_broken_adapter_or_install_breaks_only_its_scenarios(crowd: pytest.Pytester) -> None:
    """Everything else in the session still runs."""
    (crowd.path / "adapter.py").write_text("import not_installed_anywhere\ndef make(world): ...\n")

    result = crowd.runpytest_subprocess(
        "--sim-agent=adapter:make", "--continue-on-collection-errors", "-p", "no:randomly"
    )

    assert {"passed": 4, "errors": 3} == result.parseoutcomes()
    result.stdout.fnmatch_lines(["*adapter imports 'not_installed_anywhere', not found"])
