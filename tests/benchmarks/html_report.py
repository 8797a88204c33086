"""How big the HTML report of many cases is, and how fast a browser answers to it.

    python -m tests.benchmarks.html_report [REPORT.html]

Without a file the shipped suite is run against a mutant and its report is written to a temporary
folder. The browser is Chromium, headless; times are those of its own clock, and for the load also
the processor time of the page's main thread, which other work on the machine does not change.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tornado.websocket import WebSocketClientConnection, websocket_connect

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_AGENT: Final = "mutant:tools-start-after-the-cancel"
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
_FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
)
_MEASURE: Final = """
(async () => {
  const painted = () => new Promise((done) =>
    requestAnimationFrame(() => setTimeout(done)));
  const timed = async (act) => {
    const start = performance.now();
    await act();
    await painted();
    return performance.now() - start;
  };
  const [page] = performance.getEntriesByType("navigation");
  const cases = [...document.querySelectorAll("details.case")];
  const open = async (one) => {
    one.open = true;
    while (!one.querySelector(".body")?.childElementCount) await new Promise((d) => setTimeout(d));
  };
  const words = document.getElementById("words");
  const type = (text) => {
    words.value = text;
    words.dispatchEvent(new Event("input", { bubbles: true }));
  };
  return {
    cases: cases.length,
    elements: document.querySelectorAll("*").length,
    interactive: page.domInteractive,
    load: page.loadEventEnd,
    filter: await timed(() => type("cancel")),
    unfilter: await timed(() => type("")),
    first_case: await timed(() => open(cases[0])),
    next_case: await timed(() => open(cases.at(-1))),
  };
})()
"""


class Browser:
    """A page of Chromium, over its debugging protocol."""

    def __init__(self, socket: WebSocketClientConnection) -> None:
        self._socket = socket
        self._calls = 0

    async def call(self, method: str, **words: object) -> dict[str, Any]:
        """Call a method of the protocol and wait for its answer."""
        self._calls += 1
        call = {"id": self._calls, "method": method, "params": words}
        await self._socket.write_message(json.dumps(call))
        while message := await self._socket.read_message():
            answer = json.loads(message)
            if answer.get("id") == self._calls:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
        raise AssertionError("the browser has gone")

    async def run(self, script: str) -> Any:
        """The value of a script, awaited."""
        words = {"expression": script, "awaitPromise": True, "returnByValue": True}
        answer = await self.call("Runtime.evaluate", **words)
        return answer["result"].get("value")


@contextlib.asynccontextmanager
async def browser(width: int = 1440, height: int = 1000) -> AsyncIterator[Browser]:
    """A new browser with one empty page."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise SystemExit(f"no browser: install one of {', '.join(BROWSERS)}")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        size = f"--window-size={width},{height}"
        words = [found, *_FLAGS, size, f"--user-data-dir={folder}", "about:blank"]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            socket = await _page(await _port(Path(folder) / "DevToolsActivePort"))
            yield Browser(socket)
            socket.close()
            while await socket.read_message() is not None:
                pass  # until it is closed
        finally:
            process.terminate()
            process.wait()


async def _port(file: Path) -> int:
    for _ in range(600):
        if file.exists() and (lines := file.read_text().split()):
            return int(lines[0])
        await asyncio.sleep(0.1)
    raise AssertionError("the browser did not start")


async def _page(port: int) -> WebSocketClientConnection:
    from tornado.httpclient import AsyncHTTPClient

    answer = await AsyncHTTPClient().fetch(f"http://127.0.0.1:{port}/json")
    (address,) = [p["webSocketDebuggerUrl"] for p in json.loads(answer.body) if p["type"] == "page"]
    return await websocket_connect(address, max_message_size=2**28)


async def loaded(page: Browser, file: Path) -> None:
    """Show a file and wait until it is complete."""
    await page.call("Page.navigate", url=file.resolve().as_uri())
    while await page.run("document.readyState + location.protocol") != "completefile:":
        await asyncio.sleep(0.05)


async def measured(file: Path) -> dict[str, float]:
    """What the browser says about a report: counts, and times in milliseconds."""
    async with browser() as page:
        await page.call("Performance.enable", timeDomain="threadTicks")
        await loaded(page, file)
        await asyncio.sleep(1)
        metrics = (await page.call("Performance.getMetrics"))["metrics"]
        (busy,) = [one["value"] * 1e3 for one in metrics if one["name"] == "TaskDuration"]
        figures: dict[str, float] = await page.run(_MEASURE)
        return figures | {"processor_time_of_the_load": busy}


def suite_report(folder: Path) -> tuple[Path, float]:
    """The report of the shipped suite, and the seconds that writing it took."""
    from simharness.campaign import coverage
    from simharness.campaign.budget import Plan
    from simharness.cli.apart import Apart
    from simharness.cli.progress import Progress
    from simharness.cli.selecting import load_cases
    from simharness.report.html import as_html

    plan = Plan(budget=2)
    cases = load_cases((), suite=True)
    with Apart().place(_AGENT, plan) as place, Progress(len(cases), hidden=True) as progress:
        result = place.checked(cases, plan, progress)
    started = time.perf_counter()
    page = as_html(result, coverage.sentences(), coverage.states(result))
    seconds = time.perf_counter() - started
    file = folder / "report.html"
    file.write_text(page, encoding="utf-8")
    return file, seconds


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 1:
            file = Path(sys.argv[1])
        else:
            file, seconds = suite_report(Path(folder))
            print(f"written in {seconds:.1f} s")
        print(f"{file.stat().st_size / 1e6:.2f} MB")
        for name, value in asyncio.run(measured(file)).items():
            unit = "" if name in {"cases", "elements"} else " ms"
            print(f"{name.replace('_', ' ')}: {value:,.0f}{unit}")


if __name__ == "__main__":
    main()
