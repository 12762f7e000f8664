#!/usr/bin/env python3
"""What calls of extensions cost; see `--help`.

    make bench-extensions
    python3 tooling/bench-extensions.py --rows 20000 --repeats 3

Statements are timed by the shell's own `.timer`, in one process for each
repeat, so that what is subtracted from each other was measured side by side.
"""

import sys

sys.dont_write_bytecode = True

from bench.extensions import main  # noqa: E402  (after the line above on purpose)

if __name__ == "__main__":
    sys.exit(main())
