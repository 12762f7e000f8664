"""Litestream, unmodified, replicates a database that our shell writes; either side is killed.

After each kill the replica is restored: SQLite finds nothing wrong with it, and its rows are
the first ones that were committed, without a gap. After the last one nothing is missing.

    tooling/replication.py LITESTREAM [KILLS]
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHELL = ROOT / "target/release/sqlite-wasm-run"
NATIVE = ROOT / "target/native-reference/sqlite3"

#: The time between two copies, in seconds: Litestream's default, and what may be lost.
SYNC = 1.0

#: What a copy may take beyond that on a busy machine, in seconds.
SLACK = 20.0

#: Seconds between two kills.
PAUSE = (0.3, 1.5)


class Writer:
    """Our shell, which commits one row after the other until it is killed."""

    def __init__(self, database, first):
        self.committed = first - 1
        self.process = subprocess.Popen(
            [SHELL, "-batch", "-bail", database.name],
            cwd=database.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.send(".timeout 20000\nPRAGMA journal_mode=WAL;\n")
        assert self.process.stdout.readline() == "wal\n"
        self.thread = threading.Thread(target=self.write, args=[first])
        self.ends = False
        self.thread.start()

    def send(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def write(self, number):
        """A row counts when the shell says so, which it does after the commit."""
        try:
            while not self.ends:
                self.send(f"INSERT INTO t VALUES({number}, hex(randomblob(200))); SELECT {number};\n")
                if self.process.stdout.readline() != f"{number}\n":
                    return
                self.committed = number
                number += 1
                time.sleep(0.002)
        except (BrokenPipeError, ValueError):
            pass

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.thread.join()

    def end(self):
        self.ends = True
        self.thread.join()
        self.process.stdin.close()
        assert self.process.wait() == 0


def sql(program, database, text):
    """What a program prints for a statement."""
    done = subprocess.run(
        [program, database.name, text], cwd=database.parent, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def replicate(litestream, database, replica, log):
    """Litestream, which copies from now on."""
    return subprocess.Popen(
        [litestream, "replicate", str(database), replica], stdout=log, stderr=log
    )


def restored(litestream, database, replica):
    """How many rows the replica has: the first ones, in a database that is sound. None while it has no database."""
    copy = database.with_name("restored.db")
    for file in database.parent.glob("restored.db*"):
        file.unlink()
    done = subprocess.run([litestream, "restore", "-o", str(copy), replica], capture_output=True, text=True)
    if done.returncode != 0:
        return None
    check = "PRAGMA integrity_check; SELECT count(*), coalesce(min(a), 1), coalesce(max(a), 0) FROM t"
    sound, rows = sql(NATIVE, copy, check).splitlines()
    assert sound == "ok", sound
    assert sql(SHELL, copy, "PRAGMA integrity_check") == "ok"
    count, first, last = map(int, rows.split("|"))
    assert (first, last) == (1, count), f"there is a gap: {rows}"
    return count


def run(litestream, kills):
    """Kill the two sides in turn."""
    chance = random.Random(20)
    directory = Path(tempfile.mkdtemp(prefix="replication-"))
    database, replica = directory / "app.db", f"file://{directory}/replica"
    sql(SHELL, database, "PRAGMA journal_mode=WAL; CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
    with open(directory / "litestream.log", "w", encoding="utf-8") as log:
        copier, writer = replicate(litestream, database, replica, log), Writer(database, 1)
        try:
            for kill in range(kills):
                time.sleep(chance.uniform(*PAUSE))
                if kill % 2 == 0:
                    writer.kill()
                    # A commit that nobody saw is one all the same.
                    rows = int(sql(SHELL, database, "SELECT count(*) FROM t"))
                    assert rows in (writer.committed, writer.committed + 1), (rows, writer.committed)
                    writer = Writer(database, rows + 1)
                else:
                    copier.send_signal(signal.SIGKILL)
                    copier.wait()
                    copier = replicate(litestream, database, replica, log)
                rows = restored(litestream, database, replica)
                assert rows is None or rows <= writer.committed + 1, (rows, writer.committed)
                print(f"kill {kill + 1}: {rows} of {writer.committed} rows are in the replica", flush=True)
            writer.end()
            wait_for(litestream, database, replica, writer.committed)
            print(f"passed: {kills} kills, {writer.committed} commits, none is lost")
        finally:
            for process in (copier, writer.process):
                process.kill()
                process.wait()
    shutil.rmtree(directory)


def wait_for(litestream, database, replica, rows):
    """The last commits are in the replica after the time of one copy."""
    end = time.monotonic() + SYNC + SLACK
    while (found := restored(litestream, database, replica)) != rows:
        assert time.monotonic() < end, f"{found} of {rows} rows are in the replica"
        time.sleep(0.2)


if __name__ == "__main__":
    os.environ.pop("RUST_BACKTRACE", None)
    run(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20)
