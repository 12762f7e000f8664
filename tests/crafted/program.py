"""Usage: program.py CRAFTED

A program that opens a crafted database by a SQLite with a memory error, and goes on: its other connections and the process's own
`sqlite3` are what they were."""

import sqlite3
import sys

import sqlite_sandbox

VERSION, MATCH = "3.50.2", "SELECT rowid FROM t('alpha')"


def main():
    before = sqlite_sandbox.connect(":memory:")
    before.executescript("CREATE VIRTUAL TABLE t USING fts5(x); INSERT INTO t VALUES ('alpha')")
    crafted = sqlite_sandbox.connect(sys.argv[1])
    assert crafted.execute("SELECT sqlite_version()").fetchone() == (VERSION,)
    try:
        rows = crafted.execute(MATCH).fetchall()
        sys.exit(f"no error: {rows}")
    except sqlite_sandbox.OperationalError as error:
        assert "trapped" in str(error), error
        print(error)
    after = sqlite_sandbox.connect(sys.argv[1])
    assert after.execute("SELECT count(*) > 0 FROM t_data").fetchone() == (1,)
    assert before.execute(MATCH).fetchall() == [(1,)]
    assert sqlite3.connect(":memory:").execute("SELECT 1").fetchone() == (1,)


main()
