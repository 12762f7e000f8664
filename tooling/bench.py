#!/usr/bin/env python3
"""Compare the speed of our shell with two native ones; see `--help`.

    make bench                                       # all suites but vec
    make bench SUITES=breadth QUICK=1                # one, with little data
    tooling/bench.py --suites shell --sizes 100000   # just the big ones
    tooling/bench.py --workloads read                # one workload
    CWASM=1 tooling/bench.py                         # of ours only the .cwasm

The code is in the directory `bench/`; a new workload is a line in
`bench/workloads.py`, a new class of statements a paragraph of `bench/breadth.sql`.
"""

import sys

sys.dont_write_bytecode = True

from bench.command import main  # noqa: E402  (after the line above on purpose)

if __name__ == "__main__":
    sys.exit(main())
