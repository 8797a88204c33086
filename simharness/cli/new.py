"""`simharness new`: an agent adapter, a scenario or a CI workflow to start from.

The files are copies of `simharness/templates`, which the tests run as they are, or, for a scenario,
made from a captured stream. Nothing that exists is ever overwritten.
"""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from simharness.cli import project
from simharness.cli.kinds import Words
from simharness.cli.problems import BadInput, did_you_mean
from simharness.cli.verb import Verb

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["command"]

_TEMPLATES: Final = Path(__file__).parents[1] / "templates"


@click.command(
    name="new",
    cls=Verb,
    examples=(
        "simharness new agent my-agent",
        "simharness new scenario cancel-mid-text",
        "simharness new scenario from-production --from capture.sse",
        "simharness new ci --agent my_agent:make",
    ),
)
@click.argument("kind", type=Words(["agent", "scenario", "ci"]), metavar="agent|scenario|ci")
@click.argument("name", required=False)
@click.option("--agent", metavar="NAME|module:factory", help="The agent that the files name.")
@click.option(
    "--from",
    "capture",
    metavar="TRACE",
    type=click.Path(),
    help="Make the scenario from the captured stream of a provider; - is standard input.",
)
@click.option(
    "--format",
    "format_name",
    metavar="F",
    help="The format of TRACE, if its first event does not tell: openai-chat, openai-responses or "
    "anthropic.",
)
def command(
    *,
    kind: str,
    name: str | None,
    agent: str | None,
    capture: str | None,
    format_name: str | None,
) -> int:
    """Write a commented file to start from.

    `agent NAME` writes NAME.py, a small whole loop that runs as it is; `scenario NAME` writes
    NAME.sim.yaml; `ci` writes .github/workflows/simharness.yml.
    """
    if capture is not None and kind != "scenario":
        raise BadInput(f'"new {kind}" is not made from a trace; only "new scenario" is')
    if format_name is not None and capture is None:
        raise BadInput('"--format" is that of a trace; name one with "--from"')
    if kind == "ci" and name is not None:
        raise BadInput('"new ci" takes no name; its file is .github/workflows/simharness.yml')
    if kind != "ci" and not name:
        raise BadInput(f'"new {kind}" needs a name, for example: simharness new {kind} my-{kind}')
    factory = agent or project.default_agent()
    _check_name(factory)
    if capture is not None:
        return _captured(name or "", capture, format_name, factory)
    file, text, hint = _KINDS[kind](
        name or "", "my_agent:make" if factory == "reference" else factory
    )
    _write(file, text)
    click.echo(f"wrote {file}\ntry it: {hint}")
    return 0


def _check_name(agent: str) -> None:
    """Refuse a name that no agent has. A factory need not exist yet."""
    from simharness.agents import UnknownAgentError, describe

    try:
        if ":" not in agent:
            describe(agent.partition("@")[0])
    except UnknownAgentError as error:
        raise BadInput(str(error)) from None


def _agent(name: str, _: str) -> tuple[Path, str, str]:
    module = name.replace("-", "_")
    if not module.isidentifier() or keyword.iskeyword(module):
        raise BadInput(f'"{name}" cannot be the name of a Python module')
    if module in sys.stdlib_module_names:
        raise BadInput(f'"{module}" is a module of Python itself; take another name')
    words = {
        "my_agent": module,
        "my-agent": module.replace("_", "-"),
        "MyAgent": "".join(part[:1].upper() + part[1:] for part in module.split("_")),
    }
    text = _replaced("agent.py", words)
    return Path(f"{module}.py"), text, f"simharness sweep --agent {module}:make"


def _captured(name: str, capture: str, format_name: str | None, agent: str) -> int:
    """Write a scenario that plays what `capture` holds."""
    from simharness.recorded.capture_readers import READERS
    from simharness.recorded.reading import TraceError
    from simharness.recorded.sheet import scenario_from, taken

    if format_name is not None and format_name not in READERS:
        near = did_you_mean(format_name, READERS)
        raise BadInput(
            f'"{format_name}" is no provider\'s format{near} Known: {", ".join(READERS)}'
        )
    name, file = _named(name)
    try:
        if capture == "-":
            take = taken(sys.stdin.buffer, "<stdin>", format_name)
        else:
            with Path(capture).open("rb") as opened:
                take = taken(opened, capture, format_name)
    except OSError as error:
        raise BadInput(f"{capture} cannot be read: {error.strerror or error}") from None
    except TraceError as error:
        raise BadInput(str(error)) from None
    _write(file, scenario_from(take, name))
    click.echo(f"wrote {file}\ntry it: simharness run {file} --agent {agent}")
    return 0


def _named(name: str) -> tuple[str, Path]:
    """The name of a scenario without its suffix, and its file."""
    name = name.removesuffix(".sim.yaml")
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", name):
        raise BadInput(f'"{name}" cannot name a scenario: use letters, digits, "-", "_" and "."')
    return name, Path(f"{name}.sim.yaml")


def _scenario(name: str, agent: str) -> tuple[Path, str, str]:
    name, file = _named(name)
    text = _replaced("scenario.sim.yaml", {"my-scenario": name, "my_agent:make": agent})
    return file, text, f"simharness run {file} --agent {agent}"


def _ci(_: str, agent: str) -> tuple[Path, str, str]:
    file = Path(".github/workflows/simharness.yml")
    text = _replaced("ci.yml", {"my_agent:make": agent})
    return file, text, f"simharness sweep --agent {agent} --github"


_KINDS: Final[dict[str, Callable[[str, str], tuple[Path, str, str]]]] = {
    "agent": _agent,
    "scenario": _scenario,
    "ci": _ci,
}


def _replaced(template: str, words: dict[str, str]) -> str:
    """The template with `words` replaced, all at once."""
    text = (_TEMPLATES / template).read_text(encoding="utf-8")
    pattern = re.compile("|".join(map(re.escape, words)))
    return pattern.sub(lambda match: words[match[0]], text)


def _write(file: Path, text: str) -> None:
    """Write a new file; never replace one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise BadInput(f"{file} exists already; nothing was written") from None
