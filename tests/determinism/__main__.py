"""Compare the reference loop's traces over every supported Python found on this machine.

`make determinism` runs this behind the tests. Each version gets an environment of its own under
`.venvs/`. Exits 1 if any two versions differ, and says which case is the first.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.determinism.test_traces import in_process
from tests.determinism.traces import ROOT

VERSIONS = ("3.11", "3.12", "3.13")


def interpreter(version: str) -> str | None:
    """A working `python3.X`: on the path, or among pyenv's versions."""
    found = [shutil.which(f"python{version}")]
    pyenv = Path.home() / ".pyenv" / "versions"
    found += [str(path / "bin" / "python") for path in sorted(pyenv.glob(f"{version}.*"))]
    for python in found:
        if python and subprocess.run([python, "--version"], capture_output=True).returncode == 0:
            return python
    return None


def environment(version: str, python: str) -> str:
    """The interpreter of an environment with the package, made if it is missing."""
    folder = ROOT / ".venvs" / version
    inside = folder / "bin" / "python"
    if not (folder / ".installed").exists():
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
        install = [str(inside), "-m", "pip", "install", "--quiet", "--editable", str(ROOT)]
        subprocess.run(install, check=True)
        (folder / ".installed").touch()
    return str(inside)


def main() -> int:
    """Print a line per version; 1 if two differ."""
    expected = in_process(sys.executable, "1", "reference")
    print(f"this Python: {len(expected)} cases")
    differ = False
    for version in VERSIONS:
        python = interpreter(version)
        if python is None:
            print(f"{version}: not on this machine")
            continue
        found = in_process(environment(version, python), "2", "reference")
        first = next(
            (pair for pair in zip(expected, found, strict=False) if len(set(pair)) > 1), None
        )
        differ = differ or found != expected
        print(f"{version}: " + ("same traces" if found == expected else f"differs: {first}"))
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
