"""Compares sqlite_sandbox with CPython's own module, in neighbouring runs of one process; imports in processes
of their own. Prints the medians of the times and of their ratios."""

import os
import sqlite3
import statistics
import subprocess
import sys
import time

import sqlite_sandbox

MODULES = (sqlite3, sqlite_sandbox)
ROWS = 100_000
IMPORT = """
import time
start = time.perf_counter()
import {0}
{0}.connect(":memory:").execute("SELECT 1").fetchall()
print(time.perf_counter() - start)
"""

#: What the issue demands and aims at, as ratios.
FIGURES = {
    "execute and fetchall of 1 row": (2.5, 1.8),
    "execute and fetchall of 100,000 rows": (1.7, 1.3),
    "executemany of 100,000 inserts": (2.6, 1.8),
}


def prepared(module):
    """A connection with a table."""
    connection = module.connect(":memory:")
    connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, price REAL)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", ((i, f"name {i}", i / 7) for i in range(ROWS)))
    connection.commit()
    return connection


def one_row(connection):
    for i in range(1000):
        connection.execute("SELECT id, name, price FROM t WHERE id = ?", (i * 97 % ROWS,)).fetchall()


def many_rows(connection):
    connection.execute("SELECT id, name, price FROM t").fetchall()


DATA = [(i, f"name {i}", i / 7) for i in range(ROWS)]


def inserts(connection):
    connection.execute("CREATE TABLE u(id INTEGER PRIMARY KEY, name TEXT, price REAL)")
    connection.executemany("INSERT INTO u VALUES (?, ?, ?)", DATA)
    connection.commit()


def elapsed(work, connection):
    start = time.perf_counter()
    work(connection)
    return time.perf_counter() - start


def compare(name, work, rounds, after=None):
    """Alternate the modules."""
    connections = [prepared(module) for module in MODULES]
    pairs = []
    for number in range(rounds + 1):
        pair = []
        for connection in connections:
            pair.append(elapsed(work, connection))
            if after:
                connection.execute(after)
        # The first round fills caches.
        if number:
            pairs.append(pair)
    report(name, pairs)


def imports(rounds):
    pairs = []
    for number in range(rounds + 1):
        pair = [
            float(subprocess.run([sys.executable, "-c", IMPORT.format(module.__name__)], capture_output=True, text=True, check=True).stdout)
            for module in MODULES
        ]
        if number:
            pairs.append(pair)
    report("import, connect, first statement", pairs)


def report(name, pairs):
    own, ours = (statistics.median(column) * 1000 for column in zip(*pairs))
    ratio = statistics.median(pair[1] / pair[0] for pair in pairs)
    must, aim = FIGURES.get(name, (None, None))
    figures = f"must {must}, aim {aim}" if must else "must 30 ms, aim 12 ms"
    print(f"{name:38} {own:8.2f} ms {ours:8.2f} ms  ratio {ratio:5.2f}  ({figures})")


def main():
    rounds = int(os.environ.get("ROUNDS", "11"))
    print(f"CPython {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version} and {sqlite_sandbox.sqlite_version} in the sandbox")
    compare("execute and fetchall of 1 row", one_row, rounds)
    compare("execute and fetchall of 100,000 rows", many_rows, rounds)
    compare("executemany of 100,000 inserts", inserts, rounds, after="DROP TABLE u")
    imports(rounds)


if __name__ == "__main__":
    main()
