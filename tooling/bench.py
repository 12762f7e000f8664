#!/usr/bin/env python3
"""Compare our shell and our engine with native SQLite and with others; see `--help`.

    make bench SUITE=sqlrite PROFILE=small           # one suite
    make bench SUITE=all PEERS=1 RECORD=DIR          # all of it, after `make bench-peers`
    tooling/bench.py --suites shell --sizes 100000   # just the big ones
    tooling/bench.py --suites sqlrite --workloads W4 # one workload
    tooling/bench.py compare A B --fail              # two records

The code is in the directory `bench/`; a workload of a reference is a few lines of
`bench/catalogue/`, a new class of statements a paragraph of `bench/breadth.sql`.
"""

import sys

sys.dont_write_bytecode = True

from bench.command import main  # noqa: E402  (after the line above on purpose)

if __name__ == "__main__":
    sys.exit(main())
