"""Which cases are also run plain: where streaming or not must make no difference.

What then has to be equal is the business of the rules for pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.scenario.model import PromptAction

if TYPE_CHECKING:
    from simharness.contract import Contract
    from simharness.scenario.model import Case

__all__ = ["has_parity"]


def has_parity(case: Case, contract: Contract) -> bool:
    """Whether an agent with `contract` must do the same in `case`, streamed or plain.

    Everything but a prompt to an idle agent may fall into another place of a run that shows its
    text only at the end, and the whole answer to a plain request needs no closing that could fail,
    or that could take a run beyond its time.
    """
    reactions = [stream.reaction for prompt in case.prompts for stream in prompt.model]
    return (
        contract.streaming == "both"
        and all(
            isinstance(action, PromptAction) and not action.meanwhile and action.anchor is None
            for action in case.actions
        )
        and not any(reaction.close_raises for reaction in reactions)
        and not ("time_limit" in case.settings and any(one.close_takes_s for one in reactions))
    )
