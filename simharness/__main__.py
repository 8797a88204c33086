"""`python -m simharness`: the command line."""

import sys

from simharness.cli import main

sys.exit(main())
