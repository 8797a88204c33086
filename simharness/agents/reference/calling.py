"""Calling hooks: one after the other, each witnessed, none of them able to break the loop.

What decides fails closed: a hook that raises denies. What is only told is noted and passed over.
After a cancel no chain begins; what a hook awaits is given up at once.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import attrs

from simharness.agents.reference.hooks import Allow, Decision, Deny, Modify, Warn
from simharness.trace import Notice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simharness.agent import World
    from simharness.agents.reference.cancelling import Cancellation
    from simharness.agents.reference.hooks import Hook, Hooks
    from simharness.agents.reference.journal import Journal
    from simharness.contract import Contract

__all__ = ["HookCalls", "Ruling"]


@attrs.frozen
class Ruling:
    """What a chain of deciding hooks came to. `value` is what they were asked about, as modified.

    `denied` is the reason of the one that denied; None if all of them let it pass.
    """

    value: object
    denied: str | None = None
    warnings: tuple[str, ...] = ()


class HookCalls:
    """Calls the hooks on behalf of one run."""

    def __init__(
        self,
        world: World,
        journal: Journal,
        cancellation: Cancellation,
        hooks: Hooks,
        contract: Contract,
    ) -> None:
        self._world = world
        self._journal = journal
        self._cancellation = cancellation
        self._hooks = hooks
        self._contract = contract

    async def rule(self, position: str, value: object, *about: object) -> Ruling:
        """Ask the hooks of a deciding position; each sees what the ones before it made of it."""
        ruling = Ruling(value)
        for number, hook in self.chain(position):
            decision = await self.decision(position, number, hook, ruling.value, *about)
            ruling = self.ruled(ruling, decision)
            if ruling.denied is not None:
                break
        return ruling

    def ruled(self, ruling: Ruling, decision: Decision) -> Ruling:
        """The ruling after one more decision."""
        match decision:
            case Deny(reason):
                return attrs.evolve(ruling, denied=reason)
            case Modify(value):
                return attrs.evolve(ruling, value=value)
            case Warn(text):
                return attrs.evolve(ruling, warnings=(*ruling.warnings, text))
        return ruling

    async def decision(self, position: str, number: int, hook: Hook, *about: object) -> Decision:
        """What one hook decides; a hook that fails denies."""
        try:
            answer = await self.call(position, number, hook, *about)
        except Exception as error:  # noqa: BLE001 - a hook may raise anything
            return self.decision_of_failure(position, error)
        return answer if isinstance(answer, Decision) else Allow()

    def decision_of_failure(self, position: str, error: Exception) -> Decision:
        """What a hook decides that raises: a guard that broke guards nothing."""
        self.failed(position, error)
        return Deny(f"{position} failed: {error}")

    async def tell(self, position: str, *about: object) -> None:
        """Tell the hooks of a position what has happened; also after a cancel."""
        for number, hook in enumerate(self._hooks.at(position), start=1):
            await self.told(position, number, hook, *about)

    async def ask_ahead(self, position: str, *about: object) -> tuple[str, ...]:
        """Tell the hooks in front of something that a cancel may still stop; what they answer."""
        answers = [
            await self.told(position, number, hook, *about) for number, hook in self.chain(position)
        ]
        return tuple(answer for answer in answers if isinstance(answer, str))

    async def told(self, position: str, number: int, hook: Hook, *about: object) -> object:
        """Call a hook that decides nothing; that it fails is worth a notice."""
        try:
            return await self.call(position, number, hook, *about)
        except Exception as error:  # noqa: BLE001 - a hook may raise anything
            self.failed(position, error)
            return None

    def chain(self, position: str) -> Iterator[tuple[int, Hook]]:
        """The hooks of a position in installation order, as long as they may be called."""
        for number, hook in enumerate(self._hooks.at(position), start=1):
            if not self.may_call(begun=number > 1):
                return
            yield number, hook

    def may_call(self, *, begun: bool) -> bool:
        """Whether a hook may still be called in front of something: not after a cancel.

        Unless its chain had begun before, and the contract lets chains come to their end.
        """
        finishes = begun and self._contract.hooks_after_cancel == "rest-of-chain"
        return finishes or not self._cancellation.called

    async def call(self, position: str, number: int, hook: Hook, *about: object) -> object:
        """Call one hook; a cancel ends what it awaits."""
        self._world.hook(position, number)
        answer = hook(*about)
        if not inspect.isawaitable(answer):
            return answer
        async with self._cancellation.bounded(0):
            return await answer
        return None

    def failed(self, position: str, error: Exception) -> None:
        """Tell an operator of a hook that raised."""
        self._journal.report(Notice("hook-failed", f"{position}: {error}"))
