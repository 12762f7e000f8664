"""The scenarios of Litestream's own test program, whose SQLite is our sandboxed library.

Its scripts that concern a writer are played here, on databases of a size for minutes: they name
other paths, sizes of gigabytes, and end processes by name. The rest of them compare versions of
Litestream's files, or try AWS.

    python3 -m replication.scenarios
"""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from .programs import LITESTREAM, ROOT, SHELL, kill, replicate, restore, sql

#: Seconds after which Litestream has copied what was written, on a busy machine.
COPIES = 6

#: Seconds of load in each scenario.
LOAD = 8

#: The sandboxed library, which must not use signals itself because of Go's signal handlers.
LIBRARY = {"LD_LIBRARY_PATH": str(ROOT / "target/library"), "SQLITE_WASM_TRAPS": "checked", "SQLITE_WASM_VERBOSE": "1"}


class Scenario:
    """A database of Litestream's test program, and its replica."""

    def __init__(self, directory, size="20MB"):
        self.directory, self.database = directory, directory / "app.db"
        self.replica = f"file://{directory}/replica"
        self.log = open(directory / "litestream.log", "w", encoding="utf-8")  # noqa: SIM115 (it is written until the end)
        (directory / "bin").mkdir()
        (directory / "bin/litestream").symlink_to(LITESTREAM)
        self.test("populate", "-db", self.database, "-target-size", size, "-table-count", 2)
        sql(SHELL, self.database, "PRAGMA journal_mode=WAL")
        self.start()

    def test(self, command, *arguments):
        """A command of litestream-test, which really uses our library."""
        done = self.start_test(command, *arguments)
        _, errors = done.communicate()
        assert done.returncode == 0, f"{command}: {errors[-2000:]}"
        assert "runs in a sandbox" in errors, f"{command} uses another SQLite"

    def start_test(self, command, *arguments):
        return subprocess.Popen(
            [os.environ["LITESTREAM_TEST"], command, *map(str, arguments)],
            cwd=self.directory,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | LIBRARY | {"PATH": f"{self.directory}/bin:{os.environ['PATH']}"},
        )

    def load(self, pattern, rate=100):
        return self.start_test("load", "-db", self.database, "-duration", f"{LOAD}s", "-pattern", pattern, "-write-rate", rate)

    def start(self):
        self.copier = replicate(self.database, self.replica, self.log)

    def restart(self, signal=kill):
        signal(self.copier)
        self.start()

    def validate(self):
        time.sleep(COPIES)
        self.test("validate", "-source-db", self.database, "-replica-url", self.replica, "-check-type", "integrity", "-ltx-continuity")
        copy = self.directory / "copy.db"
        assert restore(self.replica, copy)
        assert sql(SHELL, copy, ".sha3sum") == sql(SHELL, self.database, ".sha3sum"), "the copy has other rows"


def finished(load):
    _, errors = load.communicate()
    assert load.returncode == 0, errors[-2000:]


def stopped(process):
    process.terminate()
    process.wait()


def patterns(scenario):
    """README: constant, burst, random and wave load."""
    for pattern in ("constant", "burst", "random", "wave"):
        finished(scenario.load(pattern))
    scenario.validate()


def shrinking(scenario):
    """README: most rows deleted, then VACUUM."""
    time.sleep(COPIES)
    scenario.test("shrink", "-db", scenario.database, "-delete-percentage", 80, "-vacuum", "-checkpoint", "-checkpoint-mode", "TRUNCATE")
    scenario.validate()


def checkpoint_while_down(scenario):
    """reproduce-critical-bug.sh: Litestream is killed, writes go on, a checkpoint, and it comes back."""
    time.sleep(COPIES)
    load = scenario.load("constant")
    time.sleep(LOAD / 4)
    kill(scenario.copier)
    time.sleep(LOAD / 4)
    sql(SHELL, scenario.database, ".timeout 20000", "PRAGMA wal_checkpoint(FULL)")
    scenario.start()
    finished(load)
    scenario.validate()


def restarts(scenario):
    """test-v0.5-restart-scenarios.sh: after no change, after changes, after a checkpoint, again and again."""
    for change in ("SELECT 1", "CREATE TABLE more AS SELECT 1 AS a", "PRAGMA wal_checkpoint(TRUNCATE)", "INSERT INTO more VALUES(2)"):
        stopped(scenario.copier)
        sql(SHELL, scenario.database, change)
        scenario.start()
        time.sleep(COPIES / 3)
        scenario.restart()
    scenario.validate()


def many_writers(scenario):
    """README: several workers, with two shells of ours."""
    loads = [scenario.load("burst", rate=50) for _ in range(2)]
    sql(SHELL, scenario.database, ".timeout 20000", "CREATE TABLE ours(a)")
    for _ in range(20):
        sql(SHELL, scenario.database, ".timeout 20000", "INSERT INTO ours SELECT random()")
    for load in loads:
        finished(load)
    scenario.validate()


def run(play):
    directory = Path(tempfile.mkdtemp(prefix="replication-"))
    scenario = Scenario(directory)
    try:
        play(scenario)
    finally:
        kill(scenario.copier)
        scenario.log.close()
    shutil.rmtree(directory)
    print(f"passed: {play.__doc__}", flush=True)


if __name__ == "__main__":
    for play in (patterns, shrinking, checkpoint_while_down, restarts, many_writers):
        run(play)
