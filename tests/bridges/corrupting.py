"""Random corruptions of what a sound child says, and what became of the trial.

`python -m tests.bridges.corrupting 10000` runs many; the tests a few.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter, deque
from typing import Any

from simharness.agent import NotApplicable
from simharness.bridges import up
from simharness.bridges.child import ChildAgent
from simharness.bridges.contracts import contract_of
from simharness.bridges.link import Link
from simharness.choices import ScheduleChooser
from simharness.rules import judge
from simharness.scenario.load import load_text
from simharness.scenario.model import Case
from simharness.trace import LimitHit
from simharness.world.childprocess import ChildFault, ChildLimits
from simharness.world.run import Run, batch, run
from tests.bridges.mini import Mini

TEXT = """
scenario: corrupted
tools: {search: {returns: 3 hits, takes: 1s}}
model:
  - ["Let me look. ", {call: {name: search, args: '{"q": "x"}'}}]
  - ["Found ", "three."]
run:
  - prompt: Search
  - cancel: {at: 500ms}
"""
LIMITS = ChildLimits(messages=200)
REFUSED = re.compile(r"line \d+ of the trial: .+")


def case() -> Case:
    """A run with a tool, a cancel while it runs, and the closing prompt."""
    (only,) = load_text(TEXT).cases
    return only


class Corrupting:
    """A channel to a `Mini` in this process, with one corruption at line `at`."""

    def __init__(self, at: int, rng: random.Random) -> None:
        self._mini = Mini()
        self._at = at
        self._rng = rng
        self._lines: deque[bytes] = deque()
        self.said = 0

    def allow(self, seconds: float) -> None:
        """Nothing takes time."""

    def send(self, line: bytes) -> None:
        """Let the child answer; it falls silent where it is told what it cannot know."""
        try:
            said = self._mini.hear(json.loads(line))
        except (KeyError, IndexError, TypeError) as error:
            raise ChildFault("child-exit", f"{type(error).__name__}") from error
        for one in said:
            self.said += 1
            written = json.dumps(one).encode()
            hit = self.said == self._at
            self._lines.extend(corrupted(written, self._rng) if hit else [written])

    def receive(self) -> bytes:
        """The next line."""
        if not self._lines:
            raise ChildFault("child-silence", "not idle again")
        return self._lines.popleft()


def corrupted(line: bytes, rng: random.Random) -> list[bytes]:
    """What is left of a line: other bytes, other values, another number of lines."""
    kind = rng.choice(("bytes", "cut", "drop", "twice", "value", "value", "key", "extra", "type"))
    if kind == "bytes":
        place = rng.randrange(len(line))
        return [line[:place] + rng.randbytes(rng.randint(1, 3)) + line[place + 1 :]]
    if kind == "cut":
        return [line[: rng.randrange(len(line))]]
    if kind in {"drop", "twice"}:
        return [] if kind == "drop" else [line, line]
    said = json.loads(line)
    if kind == "type":
        said["type"] = rng.choice([*TYPES, 7, None, ["idle"]])
    elif kind == "extra":
        said[rng.choice(["x", "run", "stream", "wake"])] = anything(rng)
    else:
        holder, key = rng.choice(list(_places(said)))
        if kind == "value":
            holder[key] = anything(rng)
        else:
            del holder[key]
    return [json.dumps(said).encode()]


TYPES = ("idle", "read", "request", "settled", "shut", "unable", "history", "limit", "introduction")


def anything(rng: random.Random) -> Any:
    """A value of any type, the strange ones included."""
    return rng.choice(
        [
            None,
            True,
            -1,
            0,
            1,
            2,
            10**30,
            1e308,
            float("nan"),
            "",
            "\ud800",
            "x" * 500,
            [],
            [[]],
            {},
        ]
    )


def _places(value: Any) -> Any:
    """Every place in a value, as holder and key."""
    keys = value if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def trial(case: Case, at: int, rng: random.Random) -> tuple[Run, str]:
    """One trial with line `at` corrupted, judged; and how it ended.

    Raises whatever is neither a verdict nor a refusal: that would be a crash of ours.
    """
    contract = contract_of({"cut_message": "kept", "silent_close": "completed"})
    said = up.Introduction(1, "mini", "1", {}, ("api",), ("history",))
    done = run(
        case,
        lambda world: ChildAgent(
            said,
            contract,
            Link(Corrupting(at, rng), LIMITS, world),  # type: ignore[arg-type]
        ),
        ScheduleChooser(),
    )
    broken = {v.rule for one in judge(done.trace, contract).values() for v in one.violations}
    limits = done.trace.of(LimitHit)
    if not limits:
        return done, "violated" if broken else "holds"
    (limit,) = limits
    if limit.limit == "child-garbage" and not REFUSED.match(limit.detail):
        raise AssertionError(f"refused without its place: {limit.detail}")
    return done, limit.limit


def many(number: int, seed: int = 0) -> Counter[str]:
    """How `number` trials ended that have one corruption each, anywhere in them."""
    rng = random.Random(seed)
    ends: Counter[str] = Counter()
    with batch():
        plain, lines = case(), lines_of(case())
        for _ in range(number):
            try:
                ends[trial(plain, rng.randint(1, lines), rng)[1]] += 1
            except NotApplicable:
                ends["not-applicable"] += 1
    return ends


def lines_of(plain: Case) -> int:
    """How many lines a sound child says in a trial."""
    sound = Corrupting(0, random.Random())
    said = up.Introduction(1, "mini", "1", {}, ("api",), ("history",))
    contract = contract_of({})
    link: Any = Link
    run(
        plain,
        lambda world: ChildAgent(said, contract, link(sound, LIMITS, world)),
        ScheduleChooser(),
    )
    return sound.said


if __name__ == "__main__":
    for end, times in many(int(sys.argv[1])).most_common():
        print(f"{times:7d}  {end}")
