"""`python -m simharness.bridges.acp_sweep [OPTIONS] -- COMMAND`: an ACP agent, cancelled anywhere.

One conversation without a cancel counts the updates of the prompt; then there is one for each place
at which a cancel can come, and one in which it comes while a permission is asked for. Each has a
fresh process. Real time does not repeat: a place that one conversation had may lack in the next.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
import click

from simharness.bridges.acp import Conversation, Plan, converse, judge
from simharness.verdict import ExitCode
from simharness.world.childprocess import ChildLimits

__all__ = ["Place", "findings", "places", "sweep"]


_OF_THE_END = ("acp-cancel-stop-reason", "terminal-kind")


@attrs.frozen
class Place:
    """Where the cancel comes, in words, and the plan of it."""

    words: str
    plan: Plan


def places(plan: Plan, updates: int, most: int) -> list[Place]:
    """The places of a prompt: at once, behind each of its first `most` updates, at a permission."""
    numbers = range(min(updates, most) + 1)
    behind = [Place(f"cancel at update {n}", attrs.evolve(plan, cancel_at=n)) for n in numbers]
    held = attrs.evolve(plan, permission="hold")
    return [*behind, Place("cancel while a permission waits", held)]


def sweep(
    command: Sequence[str], plan: Plan, *, most: int = 50, limits: ChildLimits | None = None
) -> Iterator[tuple[str, Conversation]]:
    """Hold all conversations, the one without a cancel first."""
    plain = converse(command, plan, limits)
    yield "no cancel", plain
    if not plain.fault:
        for place in places(plan, plain.updates, most):
            yield place.words, converse(command, place.plan, limits)


def findings(conversation: Conversation) -> list[str]:
    """What is broken: the connection, then rules of the protocol with the number of the message.

    A turn that may have crossed with its cancel is not held to end as cancelled.
    """
    checked = judge(conversation)
    broken = [
        f"{found.rule} message {found.spot[0]}: {found.message}"
        for found in checked.findings
        if not (conversation.crossed and found.rule in _OF_THE_END)
    ]
    refused = [str(checked.refused)] if checked.refused is not None else []
    return [*([conversation.fault] if conversation.fault else []), *broken, *refused]


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--prompt", default="Hello", show_default=True, help="What the user says.")
@click.option("--cwd", default="/", show_default=True, help="The folder of the session.")
@click.option("--most", default=50, show_default=True, help="The most places to cancel at.")
@click.option("--answer-s", default=10.0, show_default=True, help="Real seconds for one answer.")
@click.option("--record", type=click.Path(path_type=Path), help="A folder for the conversations.")
def main(
    *, command: tuple[str, ...], prompt: str, cwd: str, most: int, answer_s: float, record: Path
) -> None:
    """Cancel the ACP agent that COMMAND starts at each of its updates, and judge what it does."""
    worst = ExitCode.HOLDS
    limits = ChildLimits(answer_s=answer_s)
    conversations = sweep(command, Plan(prompt, cwd=cwd), most=most, limits=limits)
    for number, (words, conversation) in enumerate(conversations):
        broken = findings(conversation)
        idle = "cancel" in words and words != "no cancel" and not conversation.cancelled
        click.echo(f"{'not reached' if idle else 'FAILED' if broken else 'holds'}: {words}")
        for line in broken:
            click.echo(f"  {line}")
        worst = ExitCode.BROKEN if broken else worst
        if record is not None:
            record.mkdir(parents=True, exist_ok=True)
            file = record / f"{number:03d}-{words.replace(' ', '-')}.jsonl"
            file.write_text(conversation.text, encoding="utf-8")
    sys.exit(worst)


if __name__ == "__main__":
    main()
