"""Plays a page of the documentation: writes its files, applies its diffs, runs its commands.

A block of code whose first line is `# NAME` is a file. A `diff` block changes the file it names. A
`console` block holds commands behind `$ ` and what they print: each line has to come, in that
order; `...` stands for anything, alone for any lines. `$ echo $?` shows how the last one exited.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"# ([\w.-]+\.\w+)\n")


@attrs.define
class Page:
    """One page being played in `folder`."""

    text: str
    folder: Path
    exit_code: int = 0
    commands: int = 0

    def play(self) -> None:
        """Do all that the page says, in its order."""
        for kind, body in _BLOCK.findall(self.text):
            named = _NAMED.match(body)
            if kind == "diff":
                self._change(body)
            elif kind == "console":
                for command, shown in _commands(body):
                    self._run(command, shown)
            elif named:
                (self.folder / named[1]).write_text(body, encoding="utf-8")

    def _change(self, body: str) -> None:
        head, *lines = body.splitlines(keepends=True)
        file = self.folder / head.removeprefix("--- ").strip()
        old = "".join(line[1:] for line in lines if line[0] in " -")
        new = "".join(line[1:] for line in lines if line[0] in " +")
        text = file.read_text(encoding="utf-8")
        assert 1 == text.count(old), f"the diff of {file.name} does not fit:\n{old}"
        file.write_text(text.replace(old, new), encoding="utf-8")

    def _run(self, command: str, shown: list[str]) -> None:
        if command == "echo $?":
            assert [str(self.exit_code)] == shown, f"exit code {self.exit_code}"
            return
        program, *words = shlex.split(command)
        done = subprocess.run(
            [*_PROGRAMS[program], *words],
            cwd=self.folder,
            env=os.environ | {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        self.exit_code = done.returncode
        self.commands += 1
        assert shown or done.returncode != 3, f"$ {command}\nis a mistake:\n{done.stderr}"
        _compare(command, shown, done.stdout + done.stderr)


_HERE = Path(sys.executable).parent
_PROGRAMS = {
    "simharness": [str(_HERE / "simharness")],
    "pytest": [str(_HERE / "pytest")],
    "cp": ["cp"],
    "python": [sys.executable],
}


def _commands(body: str) -> Iterator[tuple[str, list[str]]]:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, *shown = part.splitlines()
        yield command, shown


def _compare(command: str, shown: list[str], printed: str) -> None:
    lines = iter(printed.splitlines())
    for wanted in shown:
        if wanted == "...":
            continue
        pattern = ".*".join(map(re.escape, wanted.split("...")))
        found = any(re.fullmatch(pattern, line) for line in lines)
        assert found, f"$ {command}\ndoes not print\n{wanted}\nbut\n{printed}"
