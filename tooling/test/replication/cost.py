"""The time of our shell with Litestream, compared with its time without.

Runs with and without it follow each other, so that both meet the same machine; the figure is the
median of the ratios of neighbours.

    python3 -m replication.cost [PAIRS]

It fails above MAX_RATIO, so it needs a machine that does nothing else: only `make release` runs it.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.workloads import commits, inserts

from .programs import SHELL, Files, kill, replicate, restore, sql

ROWS = 100_000

#: What the writer may cost with Litestream, as the median of the ratios of elapsed times.
MAX_RATIO = 1.25

TABLE = "PRAGMA journal_mode=WAL; CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, value REAL, payload TEXT)"


def one_transaction():
    """insert-wal: 100,000 rows in one transaction"""
    return ["BEGIN;", *inserts(ROWS), "COMMIT;"]


def many_transactions():
    """smalltx: 500 transactions of one row"""
    return [*commits(ROWS)]


def timed(database, script):
    """Elapsed seconds, and those of the processor."""
    with tempfile.TemporaryFile("w+") as text:
        text.write(".timeout 20000\n" + "\n".join(script) + "\n")
        text.seek(0)
        start = time.monotonic()
        process = subprocess.Popen([SHELL, "-bail", database.name], cwd=database.parent, stdin=text)
        _, status, used = os.wait4(process.pid, 0)
        assert status == 0
        return time.monotonic() - start, used.ru_utime + used.ru_stime


def measure(script, copied):
    directory = Path(tempfile.mkdtemp(prefix="replication-"))
    database, replica = directory / "app.db", Files(directory).replica
    sql(SHELL, database, TABLE)
    with open(directory / "litestream.log", "w", encoding="utf-8") as log:
        copier = replicate(database, replica, log) if copied else None
        try:
            while copied and not restore(replica, directory / "restored.db"):
                time.sleep(0.1)
            return timed(database, script)
        finally:
            if copier:
                kill(copier)
            shutil.rmtree(directory)


def run(workload, pairs):
    script = workload()
    ratios = []
    for pair in range(pairs):
        # The order alternates too: what is first may find a warmer machine.
        order = (False, True) if pair % 2 else (True, False)
        results = {copied: measure(script, copied) for copied in order}
        ratios.append([with_it / alone for with_it, alone in zip(results[True], results[False])])
    elapsed, processor = (statistics.median(column) for column in zip(*ratios))
    low, high = (edge(ratio[0] for ratio in ratios) for edge in (min, max))
    print(f"{workload.__doc__}: elapsed {elapsed:.2f} ({low:.2f} to {high:.2f}), processor {processor:.2f}", flush=True)
    assert elapsed <= MAX_RATIO, f"{workload.__doc__}: more than {MAX_RATIO} times as long with Litestream"


if __name__ == "__main__":
    for workload in (one_transaction, many_transactions):
        run(workload, int(sys.argv[1]) if len(sys.argv) > 1 else 11)
