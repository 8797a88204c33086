"""Our own traces: every universal rule judges them, by the contract that the trace declares.

A trace may hold many trials, each behind its first line; one is kept at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from simharness import rules
from simharness.contract import UNSPECIFIED
from simharness.recorded.checker import Checker
from simharness.recorded.examples import trace
from simharness.recorded.format import Format
from simharness.recorded.memory import TooMuchError
from simharness.recorded.own_lines import VERSION, BadRecordError, read_contract, read_record
from simharness.recorded.reading import Spot, quoted
from simharness.recorded.rule import FormatRule
from simharness.recorded.universal import report
from simharness.trace import Trace

if TYPE_CHECKING:
    from simharness.contract import Contract
    from simharness.recorded.rule import Tally
    from simharness.recorded.universal import Window

__all__ = ["OWN", "TRIAL_MAX"]

TRIAL_MAX: Final = 100_000
"""Records of one trial; a trial of the harness ends long before."""

_HEAD: Final = '{"simharness_trace": 1, "agent": "mine", "contract": {}}'
_PROMPT: Final[dict[str, object]] = {"record": "PromptCalled", "time": 0.0, "run": 1, "text": "hi"}
_SETTLED: Final[dict[str, object]] = {
    "record": "RunSettled", "time": 0.5, "run": 1, "how": "returned",
}  # fmt: skip

RULES: Final = (
    FormatRule(
        id="own-record",
        sentence="Every line is the first of a trial, or a record with the fields of its class.",
        why="What is not understood cannot be judged, and a rule that does not see a record may "
        "see a fault where there is none.",
        source="simharness",
        good=trace(_HEAD, _PROMPT, _SETTLED),
        bad=trace(_HEAD, _PROMPT | {"run": "one"}, _SETTLED),
    ),
    FormatRule(
        id="own-time",
        sentence="Virtual time never goes back within a trial.",
        why="The world's clock only goes forward; lines that were sorted or merged are no trial.",
        source="simharness",
        good=trace(_HEAD, _PROMPT, _SETTLED),
        bad=trace(_HEAD, _PROMPT | {"time": 1.0}, _SETTLED),
    ),
)


class OwnChecker(Checker):
    """Judges trials one after the other."""

    def __init__(self, tally: Tally, window: Window, *, at_client: bool = False) -> None:
        super().__init__(tally, window, at_client=at_client)
        self._contract: Contract = UNSPECIFIED
        self._on_time = True
        self._trace = Trace()
        self._spots: list[Spot] = []
        self._sound = True

    def event(self, value: dict[str, Any], spot: Spot, name: str) -> None:  # noqa: ARG002
        """Take a line."""
        if "simharness_trace" in value:
            self._judge()
            self._begin(value, spot)
            return
        try:
            record, time, run = read_record(value)
        except BadRecordError as error:
            self._wrong(str(error), spot)
            return
        self.tally.saw("own-record")
        if len(self._spots) >= TRIAL_MAX:
            raise TooMuchError(f"a trial of more than {TRIAL_MAX} records")
        before = self._trace.records[-1].time if self._spots else 0.0
        text = f"Time goes back from {before} to {time}."
        self._sound &= self.tally.demand("own-time", time >= before, text, spot)
        self._trace.add(record, time=time, run=run)
        self._spots.append(spot)

    def cancelled(self, spot: Spot) -> None:
        """A mark is not needed: there is a record for it."""
        self.tally.note("A cancel is a record of its own; the mark was passed over.", spot)

    def end(self, spot: Spot) -> None:  # noqa: ARG002
        """Judge the last trial."""
        self._judge()

    def _begin(self, value: dict[str, Any], spot: Spot) -> None:
        self._trace, self._spots, self._sound = Trace(), [], True
        self._contract, self._on_time = UNSPECIFIED, value.get("on_time") is not False
        version = value["simharness_trace"]
        text = f"This is version {quoted(version)} of a trace; version {VERSION} is known."
        if not self.tally.demand("own-record", version == VERSION, text, spot):
            self._sound = False
            return
        try:
            self._contract = read_contract(value.get("contract", {}))
        except BadRecordError as error:
            self._wrong(str(error), spot)

    def _wrong(self, why: str, spot: Spot) -> None:
        self._sound = False
        self.tally.demand("own-record", False, f"{why[:1].upper()}{why[1:]}.", spot)

    def _judge(self) -> None:
        """Judge the trial at hand by every rule, unless a part of it was not understood."""
        if not self._spots:
            return
        if not self._sound:
            self.tally.note("A trial was not read whole: no rule judges it.", self._spots[0])
            return
        judged = rules.judge(self._trace, self._contract, on_time=self._on_time)
        report(self.tally, judged, self._spots)


OWN: Final = Format(
    name="simharness",
    title="our own trials, as `replay --trace` writes them",
    rules=RULES,
    checker=OwnChecker,
    universal=tuple(rule.id for rule in rules.RULES if rule.pair is None),
    cannot_show=("the same script without streaming, which streaming-parity compares",),
)
