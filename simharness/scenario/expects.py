"""`expect:` of a scenario: what the reference loop does. Read here, compared elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.scenario.model import Expect, Tool
from simharness.scenario.nodes import ListNode, Node
from simharness.scenario.patterns import read_message, read_record
from simharness.scenario.problems import did_you_mean, listed
from simharness.trace import Outcome

if TYPE_CHECKING:
    from simharness.scenario.fields import Keys, Reader
    from simharness.scenario.model import MessagePattern, RecordPattern

__all__ = ["EXPECT_KEYS", "OUTCOMES", "ExpectReader"]

EXPECT_KEYS = tuple(
    field.name for field in attrs.fields(Expect) if field.name not in {"any_agent", "places"}
)


OUTCOMES = (*Outcome, "killed")
"""A run whose process was killed has no outcome of its own."""


@attrs.frozen
class ExpectReader:
    """Reads the expectations of one case.

    `prompts` counts the closing prompt too; None: not known. `projected`: the timeline is in the
    words of a profile. `called` are the tools that some answer calls, defined or not.
    """

    reader: Reader
    prompts: int | None
    tools: tuple[Tool, ...]
    called: frozenset[str]
    projected: bool = False

    def read(self, node: Node | None, *, any_agent: bool) -> Expect:
        """Read a mapping of expectations."""
        if node is None:
            return Expect(any_agent=any_agent)
        keys = self.reader.keys(node, '"expect"', EXPECT_KEYS)
        return Expect(
            outcome=self._per_prompt(keys, "outcome"),
            cause=self._per_prompt(keys, "cause"),
            history=self._history(keys),
            timeline=self._timeline(keys),
            requests=keys.whole("requests") if "requests" in keys else None,
            sent=self._sent(keys),
            bodies=self._bodies(keys),
            usage=self._usage(keys),
            notices=keys.texts("notices") if "notices" in keys else None,
            rejects=keys.texts("rejects") if "rejects" in keys else None,
            settled=self._per_prompt(keys, "settled"),
            one_of=self._one_of(keys),
            any_agent=any_agent,
            places={name: keys.at(name) for name in keys if name in EXPECT_KEYS},
        )

    def _per_prompt(self, keys: Keys, name: str) -> tuple[str, ...] | None:
        """One word for each prompt, the closing one included."""
        node = keys.get(name)
        if node is None:
            return None
        reader = self.reader
        if name == "outcome":
            read = [reader.word(item, "outcome", OUTCOMES) or "" for item in reader.some(node)]
        else:
            read = [reader.text(item, f'"{name}"') for item in reader.some(node)]
        if self.prompts is not None and len(read) != self.prompts:
            prompts = "1 prompt" if self.prompts == 1 else f"{self.prompts} prompts"
            reader.wrong(
                node,
                f'"{name}" says {len(read)}, but there are {prompts} '
                "(the closing prompt counts, unless epilogue: false)",
            )
        return tuple(read)

    def _history(self, keys: Keys) -> tuple[MessagePattern, ...] | None:
        node = keys.get("history")
        if node is None:
            return None
        items = self.reader.items(node, '"history"')
        return tuple(read_message(self.reader, item) for item in items)

    def _sent(self, keys: Keys) -> tuple[tuple[MessagePattern, ...], ...] | None:
        node = keys.get("sent")
        if node is None:
            return None
        reader = self.reader
        requests = (reader.items(item, "a request") for item in reader.items(node, '"sent"'))
        return tuple(tuple(read_message(reader, item) for item in items) for items in requests)

    def _timeline(self, keys: Keys) -> tuple[RecordPattern, ...] | None:
        node = keys.get("timeline")
        if node is None:
            return None
        items = self.reader.items(node, '"timeline"')
        return tuple(read_record(self.reader, item, projected=self.projected) for item in items)

    def _bodies(self, keys: Keys) -> dict[str, int] | None:
        node = keys.get("bodies")
        if node is None:
            return None
        mapping = self.reader.mapping(node, '"bodies"')
        names = [tool.name for tool in self.tools]
        for key, _ in mapping.pairs:
            if key.text not in names and key.text not in self.called:
                guess = did_you_mean(key.text, names)
                self.reader.wrong(
                    key, f'there is no tool "{key.text}"{guess} Tools: {listed(names) or "none"}'
                )
        return {
            key.text: self.reader.whole(value, "a number of bodies") for key, value in mapping.pairs
        }

    def _usage(self, keys: Keys) -> tuple[int, int] | None:
        node = keys.get("usage")
        if node is None:
            return None
        if isinstance(node, ListNode) and len(node.items) == 2:
            first, second = (self.reader.whole(item, "a token count") for item in node.items)
            return first, second
        usage = self.reader.keys(node, '"usage"', ("input", "output"))
        return usage.whole("input"), usage.whole("output")

    def _one_of(self, keys: Keys) -> tuple[Expect, ...] | None:
        node = keys.get("one_of")
        if node is None:
            return None
        items = self.reader.items(node, '"one_of"')
        if len(items) < 2:
            self.reader.wrong(node, '"one_of" needs at least two alternatives')
        return tuple(self.read(item, any_agent=False) for item in items)
