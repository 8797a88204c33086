"""Every option and argument of every verb: a mistake in it is one message and exit code 3.

The rows are found from the commands themselves, so a new option without a row fails here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from simharness.cli import main
from simharness.cli.app import _VERBS, _app

SCENARIO = "scenario: plain\nmodel: [[Hi.]]\nrun: [prompt: go]\ntags: [short]\n"

BASES = {
    "run": ["run", "plain.sim.yaml"],
    "sweep": ["sweep"],
    "explore": ["explore", "plain.sim.yaml"],
    "shrink": ["shrink", "plain.sim.yaml"],
    "replay": ["replay", "sh1:abc"],
    "compare": ["compare", "--agent", "reference", "plain.sim.yaml"],
    "mutants": ["mutants"],
    "field": ["field"],
    "rules": ["rules"],
    "check": ["check", "plain.sim.yaml"],
    "schema": ["schema"],
    "new": ["new", "scenario", "mine"],
    "completion": ["completion"],
    "agents": ["agents"],
}
"""A line of each verb that is right but for what is put behind it."""

FILE = (".", "File '.' is a directory")
VALUES: dict[str, tuple[str, str]] = {
    "--agent": ("refrence", "did you mean 'reference'?"),
    "--profile": ("yoagnet", "did you mean 'yoagent'?"),
    "--budget": ("much", "quick, default, deep or a number"),
    "--total": ("0", "0 is not in the range x>=1"),
    "--strategy": ("portfolo", 'did you mean "portfolio"?'),
    "--bound": ("-1", "-1 is not in the range x>=0"),
    "--mode": ("stict", 'did you mean "strict"?'),
    "--seed": ("luck", '"luck" is no seed; give a number or last'),
    "--seeds": ("9..1", "9..1 must rise"),
    "-k": ("plain and", "a word is missing"),
    "--tag": ("shrot", 'did you mean "short"? Tags: short'),
    "--explain": ("scenaro", 'did you mean "scenario"?'),
    "--baseline": ("none.json", "none.json: cannot be read: No such file"),
    "--jobs": ("0", "0 is not in the range x>=1"),
    "--wall-limit": ("0", "0.0 is not in the range x>=0.1"),
    "--memory-limit": ("1", "1 is not in the range x>=64"),
    "--coverage": ("nowhere", "nowhere"),
    "--dask": ("a:1", "no Dask scheduler answers at a:1"),
    "--store": (".", "cannot open the store .: unable to open"),
    "--json": FILE,
    "--junit": FILE,
    "--markdown": FILE,
    "--html": FILE,
    "--trace": FILE,
    "-o": FILE,
    "--out": ("plain.sim.yaml", "Directory 'plain.sim.yaml' is a file"),
    "--path": ("plian.sim.yaml", 'did you mean "plain.sim.yaml"?'),
    "--format": ("agui-", 'did you mean "agui"?'),
}
"""A wrong value for an option, and what is said about it; the same for every verb that has it."""

SPECIAL: dict[tuple[str, str], tuple[list[str], str]] = {
    ("shrink", "--budget"): (["--budget", "0"], "0 is not in the range x>=1"),
    ("shrink", "--seconds"): (["--seconds", "0"], "0.0 is not in the range x>=0.1"),
    ("shrink", "--rule"): (
        ["--rule", "chunk-conservatoin", "--agent", "mutant:chunks-are-shown-twice"],
        'did you mean "chunk-conservation"?',
    ),
    ("replay", "--agent"): (["--agent", "refrence"], "a character is wrong or missing"),
    ("field", "--venvs"): (["--venvs", "plain.sim.yaml"], "Directory 'plain.sim.yaml' is a file"),
    ("check", "--recorded-at"): (
        ["--recorded-at", "clinet", "--format", "agui"],
        'did you mean "client"?',
    ),
    ("new", "--agent"): (["--agent", "tinyagnet"], "did you mean 'tinyagent'?"),
    ("new", "--format"): (
        ["--format", "antropic", "--from", "plain.sim.yaml"],
        'did you mean "anthropic"?',
    ),
    ("new", "--from"): (["--from", "none.json"], "none.json"),
}
"""The mistakes of options that mean something else to one verb, or need company."""

ARGUMENTS: dict[tuple[str, str], tuple[list[str], str]] = {
    ("run", "paths"): (["run", "plian.sim.yaml"], 'did you mean "plain.sim.yaml"?'),
    ("explore", "paths"): (["explore", "plain.sim.yaml::plian"], 'did you mean "plain"?'),
    ("shrink", "failure"): (["shrink", "plian.sim.yaml"], 'did you mean "plain.sim.yaml"?'),
    ("shrink", "paths"): (["shrink", "plain.sim.yaml", "more"], "more stands behind a file"),
    ("replay", "code"): (["replay", "sh1:abc"], "a character is wrong or missing"),
    ("replay", "paths"): (["replay", "sh1:abc", "nowhere"], "a character is wrong or missing"),
    ("compare", "paths"): (["compare", "one.json"], "give two JSON reports"),
    ("mutants", "ids"): (["mutants", "cut-text-is-lots"], 'did you mean "cut-text-is-lost"?'),
    ("field", "ids"): (["field", "P99"], 'unknown pin "P99"'),
    ("rules", "rule_id"): (["rules", "tool-paring"], 'did you mean "tool-pairing"?'),
    ("check", "traces"): (["check", "--format", "agui"], "Missing argument 'TRACE...'"),
    ("new", "kind"): (["new", "scenaro", "x"], 'did you mean "scenario"?'),
    ("new", "name"): (["new", "scenario", "a/b"], '"a/b" cannot name a scenario'),
    ("completion", "shell"): (["completion", "zhs"], 'did you mean "zsh"?'),
}


def parameters(*, kind: type[click.Parameter]) -> Iterator[tuple[str, click.Parameter]]:
    """Each parameter of each verb."""
    context = click.Context(_app)
    for verb in _VERBS:
        command = _app.get_command(context, verb)
        assert command is not None
        yield from ((verb, one) for one in command.params if isinstance(one, kind))


def spelling(option: click.Parameter) -> str:
    """The long form of an option, or its only one."""
    return max(option.opts, key=len)


OPTIONS = [
    (verb, spelling(one), bool(getattr(one, "is_flag", False)))
    for verb, one in parameters(kind=click.Option)
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One small scenario in the working directory."""
    (tmp_path / "plain.sim.yaml").write_text(SCENARIO)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("distributed.Client", _unanswered)


def _unanswered(*_: object, **__: object) -> None:
    """A real address is asked for half a minute; `tests/unit/isolate` does that."""
    raise OSError("of this test")


def said(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What a mistaken line says: one message, on the standard error alone."""
    assert 3 == main(words), words
    out, err = capsys.readouterr()
    assert "" == out
    assert "Traceback" not in err
    lines = [line for line in err.splitlines() if not line.startswith("Try: ")]
    assert 1 == sum(line.startswith("simharness: ") for line in lines), err
    return err


@pytest.mark.parametrize(("verb", "option", "_"), OPTIONS, ids=lambda value: str(value))
def test_a_misspelt_option_is_suggested(
    verb: str, option: str, _: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """The one that was meant is among those that are named."""
    if option.startswith("--"):
        err = said([*BASES[verb], f"{option[:-1]}{option[-1] * 2}x"], capsys)
        assert f"'{option}'" in err
    else:
        assert "No such option" in said([*BASES[verb], "-Z"], capsys)


@pytest.mark.parametrize(("verb", "option", "flag"), OPTIONS, ids=lambda value: str(value))
def test_a_mistake_in_a_value_is_said(
    verb: str, option: str, flag: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """In words that help; a flag takes no value, and every other option needs one."""
    if flag:
        assert "does not take a value" in said([*BASES[verb], f"{option}=yes"], capsys)
        return
    assert "requires an argument" in said([*BASES[verb], option], capsys)
    if (verb, option) in SPECIAL:
        words, wanted = SPECIAL[verb, option]
    else:
        value, wanted = VALUES[option]
        words = [option, value]
    assert wanted in said([*BASES[verb], *words], capsys)


@pytest.mark.parametrize(
    ("verb", "argument"), [(verb, one.name) for verb, one in parameters(kind=click.Argument)]
)
def test_a_mistake_in_an_argument_is_said(
    verb: str, argument: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what there is in its place."""
    words, wanted = ARGUMENTS[verb, argument]
    assert wanted in said(words, capsys)


TOGETHER = {
    "two reports on standard output": (["run", ".", "--json", "-", "--junit", "-"], "only one"),
    "workers here and elsewhere": (["run", ".", "--jobs", "2", "--dask", "a:1"], "exclude"),
    "quiet and loud": (["run", ".", "-q", "-v"], "exclude each other"),
    "kept failures of a path": (["run", ".", "--regressions"], "takes no PATH"),
    "kept failures, and none": (["run", "--regressions", "--no-regressions"], "exclude"),
    "seeds and a store": (
        ["run", ".", "--seeds", "1..2", "--strategy", "random", "--store", "s.sqlite"],
        "a store belongs to one seed",
    ),
    "seeds for nothing": (["run", ".", "--seeds", "1..2"], "nothing is drawn at random"),
    "the last seed of none": (["run", ".", "--seed", "last"], "no search here has drawn"),
    "nothing to run": (["run"], "give scenario files or folders, or --suite"),
    "a name for a workflow": (["new", "ci", "mine"], "takes no name"),
    "no name for a scenario": (["new", "scenario"], "needs a name"),
    "one agent to compare": (["compare", "--agent", "reference", "."], "--agent twice"),
    "no format": (["check", "plain.sim.yaml"], "--format"),
    "a verb that is none": (["replya"], 'did you mean "replay"?'),
}


@pytest.mark.parametrize("mistake", TOGETHER)
def test_what_does_not_go_together_is_said(
    mistake: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is run."""
    words, wanted = TOGETHER[mistake]
    assert wanted in said(words, capsys)


def test_no_row_is_about_what_is_gone() -> None:
    """The tables name only options and arguments that there are."""
    known = {(verb, option) for verb, option, _ in OPTIONS}
    assert set(VALUES) <= {option for _, option in known}
    assert set(SPECIAL) <= known
    assert set(ARGUMENTS) == {(verb, one.name) for verb, one in parameters(kind=click.Argument)}
    assert set(BASES) == set(_VERBS)
