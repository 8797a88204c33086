"""`simharness completion`: the script by which a shell completes verbs, options and names."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from simharness.cli.kinds import Words
from simharness.cli.verb import Verb

__all__ = ["command"]


@click.command(
    name="completion",
    cls=Verb,
    examples=(
        'eval "$(simharness completion bash)"        # in ~/.bashrc',
        'eval "$(simharness completion zsh)"         # in ~/.zshrc',
        "simharness completion fish > ~/.config/fish/completions/simharness.fish",
    ),
)
@click.argument("shell", type=Words(["bash", "zsh", "fish"]), metavar="bash|zsh|fish")
@click.pass_context
def command(ctx: click.Context, *, shell: str) -> int:
    """Print the script that teaches a shell to complete this command.

    Verbs, options, their values, agents, rules, mutants and files are completed.
    """
    kind = get_completion_class(shell)
    assert kind is not None, "click knows the shells that are offered here"
    group = ctx.find_root().command
    click.echo(kind(group, {}, "simharness", "_SIMHARNESS_COMPLETE").source())
    return 0
