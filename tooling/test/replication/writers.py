"""Programs of ours that commit one transaction after the other until they are killed.

They leave checkpoints to Litestream: where a writer makes one while Litestream is down, Litestream
0.5.18 may lack pages without a word, with any SQLite (docs/replication.md).
"""

import http.client
import json
import re
import subprocess
import threading
import time

from .programs import SHELL, kill

#: Rows of a transaction: a part of them in a copy would be an error.
ROWS = 3

#: A pause after each transaction, in seconds, in which others get the write lock.
REST = 0.002

TABLE = "PRAGMA journal_mode=WAL; CREATE TABLE t(a INTEGER PRIMARY KEY, b)"

#: The value of `b`, against which each row can be checked.
CONTENT = "printf('%0400d', a * 7919)"


def transaction(number):
    """The statements of the transaction with this index; the first one is 1."""
    rows = ", ".join(f"({(number - 1) * ROWS + row})" for row in range(1, ROWS + 1))
    values = [f"INSERT INTO t SELECT column1, {CONTENT.replace('a *', 'column1 *')} FROM (VALUES {rows})"]
    return "; ".join(["BEGIN", *values, "COMMIT"])


class Writer:
    """Commits from a transaction on. What is known to be committed is in `committed`, with the times."""

    def __init__(self, database, first):
        self.committed = first - 1
        self.times = []
        self.error = None
        self.ends = False
        self.process = self.start(database)
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        try:
            while not self.ends:
                self.commit(self.committed + 1)
                self.committed += 1
                self.times.append((self.committed, time.monotonic()))
                time.sleep(REST)
        except (OSError, ValueError, http.client.HTTPException) as error:
            self.error = error

    def kill(self):
        assert self.process.poll() is None and self.error is None, f"the writer ended: {self.error}"
        self.ends = True
        kill(self.process)
        self.thread.join()

    def end(self):
        self.ends = True
        self.thread.join()
        assert self.error is None, self.error
        kill(self.process)


class Shell(Writer):
    """Our shell, with statements on its standard input."""

    name = "shell"

    def start(self, database):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        self.shell = subprocess.Popen([SHELL, "-batch", "-bail", database.name], cwd=database.parent, **pipes)
        self.shell.stdin.write(".timeout 20000\n.dbconfig no_ckpt_on_close on\nPRAGMA wal_autocheckpoint=0;\n")
        assert [self.shell.stdout.readline().strip() for _ in range(2)] == ["no_ckpt_on_close on", "0"]
        return self.shell

    def commit(self, number):
        self.shell.stdin.write(f"{transaction(number)}; SELECT {number};\n")
        self.shell.stdin.flush()
        if self.shell.stdout.readline() != f"{number}\n":
            raise ValueError("the shell reports no commit")


class Server(Writer):
    """A client of our server, by libSQL's protocol."""

    name = "server"

    def start(self, database):
        server = subprocess.Popen(
            [SHELL, "serve", database.name, "--http", "127.0.0.1:0", "--no-checkpoints"],
            cwd=database.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        address, token = re.search(r"http://([0-9.:]+)/#token=(\S+)", server.stdout.readline()).groups()
        self.client = http.client.HTTPConnection(address)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        return server

    def commit(self, number):
        requests = [{"type": "sequence", "sql": transaction(number)}, {"type": "close"}]
        self.client.request("POST", "/v2/pipeline", json.dumps({"requests": requests}), self.headers)
        results = json.load(self.client.getresponse())["results"]
        if results[0]["type"] != "ok":
            raise ValueError(results[0])
