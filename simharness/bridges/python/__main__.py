"""`python -m simharness.bridges.python package.module:factory`."""

from __future__ import annotations

import os
import pkgutil
import sys

from simharness.bridges.python.serving import serve
from simharness.world.run import batch


def main() -> int:
    """Serve the factory that is named until standard input ends; the exit code."""
    if len(sys.argv) != 2:
        print("usage: python -m simharness.bridges.python package.module:factory", file=sys.stderr)
        return 3
    # What the agent prints must not get between the messages.
    out = os.dup(1)
    os.dup2(2, 1)
    try:
        factory = pkgutil.resolve_name(sys.argv[1])
    except (ImportError, AttributeError, ValueError) as error:
        print(f"cannot load {sys.argv[1]}: {error}", file=sys.stderr)
        return 3
    with batch(output=sys.stderr, wall_s=1e9):  # the harness has the watch
        serve(factory, source=0, target=out)
    return 0


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # threads that an agent left must not keep the process
