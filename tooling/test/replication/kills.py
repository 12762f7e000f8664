"""Either side is killed in turn, each of them twenty times; then both, as when the machine is lost.

After each kill the replica is restored: SQLite finds nothing wrong with it, and it has the first
transactions that were committed, whole and without a gap. A loss of both sides costs no more than
what was committed in the last three seconds before it.

    python3 -m replication.kills [TIMES OF EACH SIDE]
"""

import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from .programs import NATIVE, SHELL, Files, ObjectStorage, kill, replicate, restore, sql
from .writers import CONTENT, ROWS, TABLE, Server, Shell

#: What a loss may cost, in seconds: Litestream looks at the WAL each second and copies each second; the third
#: is for the copy itself, and for a busy machine. docs/replication.md promises it.
BOUND = 3.0

#: For a copy that is waited for, on a busy machine, in seconds.
SLACK = 20.0

#: Seconds between two kills.
PAUSE = (0.3, 1.5)

#: Losses of both sides.
LOSSES = 3

#: Seconds of commits before one, so that Litestream is in its rhythm.
BEFORE_LOSS = 5.0


class Replication:
    """A writer and Litestream, with one database and one replica."""

    def __init__(self, directory, writer, storage):
        self.directory = directory
        self.database = directory / "app.db"
        self.new_writer = writer
        self.replica = storage.replica
        self.copied = None
        self.log = open(directory / "litestream.log", "w", encoding="utf-8")  # noqa: SIM115 (it is written until the end)
        sql(SHELL, self.database, TABLE)
        self.start_copier()
        self.writer = writer(self.database, 1)

    def start_copier(self):
        self.copier = replicate(self.database, self.replica, self.log)

    def kill_writer(self):
        self.writer.kill()
        self.start_writer()

    def start_writer(self):
        # A commit that nobody saw is one all the same.
        rows = int(sql(SHELL, self.database, "SELECT count(*) FROM t"))
        seen = self.writer.committed
        assert rows in (seen * ROWS, (seen + 1) * ROWS), (rows, seen)
        self.writer = self.new_writer(self.database, rows // ROWS + 1)

    def kill_copier(self):
        assert self.copier.poll() is None, "Litestream ended; see litestream.log"
        kill(self.copier)
        self.start_copier()

    def check(self):
        """The transactions in the replica: the first ones, never fewer than before. None until it has a database."""
        end = time.monotonic() + SLACK
        copy = self.directory / "restored.db"
        while not restore(self.replica, copy):
            if self.copied is None:
                return None
            # Litestream may remove a file in favour of a larger one while another one reads.
            assert time.monotonic() < end, "the replica cannot be restored any more"
        found = transactions(copy)
        assert (self.copied or 0) <= found <= self.writer.committed + 1, (self.copied, found, self.writer.committed)
        self.copied = found
        return found

    def lose(self):
        """Kill both; how many seconds of commits are lost."""
        time.sleep(BEFORE_LOSS)
        self.writer.ends = True
        kill(self.copier)
        end = time.monotonic()
        self.writer.kill()
        found = self.check()
        lost = [moment for number, moment in self.writer.times if number > (found or 0)]
        self.start_copier()
        self.start_writer()
        return end - lost[0] if lost else 0.0

    def end(self):
        """Nothing is missing after the time of one copy."""
        self.writer.end()
        end = time.monotonic() + BOUND + SLACK
        while (found := self.check()) != self.writer.committed:
            assert time.monotonic() < end, f"{found} of {self.writer.committed} transactions are in the replica"
            time.sleep(0.2)

    def stop(self):
        for process in (self.copier, self.writer.process):
            kill(process)
        self.log.close()


def transactions(copy):
    """How many a copy has, which is sound and has no gap."""
    check = f"PRAGMA integrity_check; SELECT count(*), min(a), max(a), sum(b IS NOT {CONTENT}) FROM t"
    sound, rows = sql(NATIVE, copy, check).splitlines()
    assert sound == "ok", sound
    assert sql(SHELL, copy, "PRAGMA integrity_check") == "ok"
    if rows == "0|||":
        return 0
    count, first, last, wrong = map(int, rows.split("|"))
    assert (first, last, wrong) == (1, count, 0) and count % ROWS == 0, f"not what was committed: {rows}"
    return count // ROWS


def run(writer, storage, times):
    chance = random.Random(20)
    directory = Path(tempfile.mkdtemp(prefix="replication-"))
    place = storage(directory)
    pair = Replication(directory, writer, place)
    try:
        for number in range(2 * times):
            time.sleep(chance.uniform(*PAUSE))
            pair.kill_writer() if number % 2 == 0 else pair.kill_copier()
            pair.check()
        losses = [pair.lose() for _ in range(LOSSES)]
        pair.end()
        assert max(losses) <= BOUND, f"losses cost {losses} s, more than the {BOUND} s of docs/replication.md"
    finally:
        pair.stop()
        place.stop()
    shutil.rmtree(directory)
    print(
        f"{writer.name} to {storage.name}: {times} kills of each side, {pair.writer.committed} transactions, none missing;"
        f" losses of both sides cost {', '.join(f'{loss:.1f}' for loss in losses)} s",
        flush=True,
    )


if __name__ == "__main__":
    for writer in (Shell, Server):
        for storage in (Files, ObjectStorage):
            run(writer, storage, int(sys.argv[1]) if len(sys.argv) > 1 else 20)
