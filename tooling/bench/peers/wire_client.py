"""The client of suite `pgsqlite`: the same operations through a driver of Postgres, or on SQLite itself.

    wire_client.py DRIVER WHERE ROWS     DRIVER: apsw, psycopg, psycopg-simple, psycopg2
    wire_client.py clients WHERE COUNT   so many threads with psycopg, 25 reads each
    wire_client.py messages WHERE COUNT  reads of one row with psycopg, whose bytes are counted

WHERE is a file for apsw, else the words of a connection. The answer is a line of JSON: for each
workload its times in nanoseconds and the digest of its answers. All rows are fetched on all ways.
"""

import hashlib
import importlib
import json
import select
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.generator import Generator  # noqa: E402

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
COMMIT_EACH = 100
CACHED_ROUNDS = 20
READS_OF_A_CLIENT = 25
WARM = 10
"""Reads after which a driver has prepared the statement."""
BATCHES = (1, 10, 100, 1000)

COLUMNS = "text_col TEXT, int_col INTEGER, real_col DOUBLE PRECISION, bool_col BOOLEAN"
CACHED = (
    ("SELECT * FROM benchmark_table WHERE int_col > 2500 ORDER BY id", ()),
    ("SELECT text_col, real_col FROM benchmark_table WHERE bool_col = true ORDER BY id", ()),
    ("SELECT COUNT(*) FROM benchmark_table WHERE text_col LIKE 'A%%'", ()),
    ("SELECT COUNT(*), SUM(int_col) FROM benchmark_table WHERE int_col BETWEEN 1000 AND 5000", ()),
    ("SELECT * FROM benchmark_table ORDER BY int_col DESC, id LIMIT 10", ()),
)


class Direct:
    """SQLite in this process."""

    key = "INTEGER PRIMARY KEY AUTOINCREMENT"

    def __init__(self, where):
        import apsw

        self.db = apsw.Connection(where)
        # LIKE as Postgres has it.
        for setting in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=5000", "case_sensitive_like=ON"):
            list(self.db.execute(f"PRAGMA {setting}"))
        self.cursor, self.open = self.db.cursor(), False

    def run(self, sql, values=()):
        if not self.open:
            self.cursor.execute("BEGIN")
            self.open = True
        return self.cursor.execute(sql.replace("%s", "?").replace("%%", "%"), values).fetchall()

    def commit(self):
        if self.open:
            self.cursor.execute("COMMIT")
            self.open = False

    def close(self):
        self.commit()
        self.db.close()


class Wire:
    """A driver of Postgres."""

    key = "SERIAL PRIMARY KEY"

    def __init__(self, driver, where):
        if driver == "psycopg2":
            import psycopg2

            self.db = psycopg2.connect(where)
            self.cursor = self.db.cursor()
        else:
            import psycopg

            self.db = psycopg.connect(where)
            self.cursor = psycopg.ClientCursor(self.db) if driver == "psycopg-simple" else self.db.cursor()

    def run(self, sql, values=()):
        # Values are given always, so that %% means the same in all queries.
        self.cursor.execute(sql, values)
        return self.cursor.fetchall() if self.cursor.description else []

    def commit(self):
        self.db.commit()

    def close(self):
        self.db.close()


def connect(driver, where):
    return Direct(where) if driver == "apsw" else Wire(driver, where)


def written(value):
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:.6f}" if isinstance(value, float) else str(value)


class Timed:
    def __init__(self):
        self.times, self.digests = {}, {}

    def __call__(self, name, call, *arguments):
        start = time.perf_counter_ns()
        rows = call(*arguments)
        self.times.setdefault(name, []).append(time.perf_counter_ns() - start)
        digest = self.digests.setdefault(name, hashlib.sha256())
        for row in rows or ():
            digest.update("|".join(map(written, row)).encode() + b"\n")
        return rows


def row(numbers):
    text = "".join(LETTERS[numbers.below(len(LETTERS))] for _ in range(20))
    return text, numbers.between(1, 10_000), numbers.between(0, 64_000) / 64, bool(numbers.below(2))


def operations(driver, where, count):
    """PG1, PG2 and PG3."""
    timed, numbers = Timed(), Generator(4)
    start = time.perf_counter_ns()
    db = connect(driver, where)
    db.run("SELECT 1")
    timed.times["connect"] = [time.perf_counter_ns() - start]
    db.commit()
    for table in ("benchmark_table", "batch_test"):
        db.run(f"DROP TABLE IF EXISTS {table}")
    db.commit()
    timed("create", db.run, f"CREATE TABLE benchmark_table(id {db.key}, {COLUMNS})")
    db.commit()
    ids = []
    insert = "INSERT INTO benchmark_table(text_col, int_col, real_col, bool_col) VALUES (%s, %s, %s, %s) RETURNING id"
    for turn in range(count):
        ids.append(timed("insert", db.run, insert, row(numbers))[0][0])
        if turn % COMMIT_EACH == COMMIT_EACH - 1:
            db.commit()
    db.commit()
    for turn in range(count):
        kind = numbers.below(3)
        if kind == 0:
            timed("update", db.run, "UPDATE benchmark_table SET text_col = %s WHERE id = %s", (row(numbers)[0], ids[numbers.below(len(ids))]))
        elif kind == 1 and len(ids) > 1:
            timed("delete", db.run, "DELETE FROM benchmark_table WHERE id = %s", (ids.pop(numbers.below(len(ids))),))
        else:
            timed("select", db.run, "SELECT * FROM benchmark_table WHERE int_col > %s ORDER BY id", (numbers.between(9_000, 10_000),))
        if turn % COMMIT_EACH == COMMIT_EACH - 1:
            db.commit()
    db.commit()
    for _ in range(CACHED_ROUNDS):
        for sql, values in CACHED:
            timed("cached", db.run, sql, values)
    db.commit()
    batches(db, timed, count)
    db.close()
    return timed


def batches(db, timed, count):
    db.run("CREATE TABLE batch_test(id INTEGER PRIMARY KEY, name TEXT NOT NULL, value INTEGER NOT NULL, description TEXT)")
    db.commit()
    for size in BATCHES:
        at = 0
        while at < count:
            part = range(at, min(at + size, count))
            values = [value for id in part for value in (id, f"name-{id}", id * 7, f"description of {id}")]
            sql = f"INSERT INTO batch_test VALUES {', '.join(['(%s, %s, %s, %s)'] * len(part))}"
            timed(f"batch-{size}", db.run, sql, values)
            at += size
        timed.digests[f"batch-{size}"].update(str(db.run("SELECT COUNT(*), SUM(value) FROM batch_test")).encode().replace(b"Decimal", b""))
        db.run("DELETE FROM batch_test")
        db.commit()


def clients(where, count):
    """PG5: threads with connections of their own."""
    timed, driver = Timed(), "psycopg" if where.startswith("host=") else "apsw"
    first = connect(driver, where)
    first.run("DROP TABLE IF EXISTS users")
    first.run("CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT)")
    for id in range(1000):
        first.run("INSERT INTO users VALUES (%s, %s)", (id, f"user-{id}"))
    first.commit()
    first.close()

    def work(place, found):
        db, numbers = connect(driver, where), Generator(place)
        start = time.perf_counter_ns()
        rows = [db.run("SELECT id, name FROM users WHERE id = %s", (numbers.below(1000),)) for _ in range(READS_OF_A_CLIENT)]
        found[place] = (time.perf_counter_ns() - start, sum(map(len, rows)))
        db.close()

    found = {}
    threads = [threading.Thread(target=work, args=(place, found)) for place in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    timed.times["clients"] = [took // READS_OF_A_CLIENT for took, _ in found.values()]
    timed.digests["clients"] = hashlib.sha256(str(sum(rows for _, rows in found.values())).encode())
    return timed


class Relay(threading.Thread):
    """Passes one connection on, and counts its bytes."""

    def __init__(self, words, directory):
        super().__init__(daemon=True)
        self.words, self.bytes = words, 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{directory}/.s.PGSQL.{words['port']}")
        self.listener.listen(1)

    def run(self):
        near, _ = self.listener.accept()
        host, port = self.words["host"], self.words["port"]
        far = socket.socket(socket.AF_UNIX if host.startswith("/") else socket.AF_INET)
        far.connect(f"{host}/.s.PGSQL.{port}" if host.startswith("/") else (host, int(port)))
        while ready := select.select([near, far], [], [])[0]:
            for one in ready:
                data = one.recv(65536)
                if not data:
                    return
                self.bytes += len(data)
                (far if one is near else near).sendall(data)


def messages(where, count):
    """PG4: a row by its id, of which values 12 bytes are the row's own."""
    timed, over_wire = Timed(), where.startswith("host=")
    direct = connect("psycopg" if over_wire else "apsw", where)
    read = ("SELECT id, name FROM users WHERE id = %s", (1,))
    for turn in range(WARM + count):
        timed(*("messages", direct.run, *read) if turn >= WARM else ("warm", direct.run, *read))
    direct.commit()
    direct.close()
    words = dict(word.split("=") for word in where.split()) if over_wire else {}
    if words.get("sslmode") != "disable":
        # The socket of this machine, through which bytes are counted, has no TLS.
        return timed, None
    with tempfile.TemporaryDirectory() as directory:
        relay = Relay(words, directory)
        relay.start()
        db = connect("psycopg", " ".join(f"{name}={value}" for name, value in {**words, "host": directory}.items()))
        for _ in range(WARM):
            db.run(*read)
        before = relay.bytes
        for _ in range(count):
            db.run(*read)
        found = (relay.bytes - before) // count
        db.commit()
        db.close()
    return timed, found


def main():
    driver, where, count = sys.argv[1:]
    # Reading the module is no part of connecting.
    module = "psycopg" if where.startswith("host=") else "apsw"
    importlib.import_module("psycopg2" if driver == "psycopg2" else module)
    if driver == "messages":
        timed, size = messages(where, int(count))
    else:
        timed = clients(where, int(count)) if driver == "clients" else operations(driver, where, int(count))
    digests = {name: digest.hexdigest() for name, digest in timed.digests.items()}
    found = {name: {"times": times, "digest": digests.get(name, "")} for name, times in timed.times.items()}
    if driver == "messages":
        found["messages"]["wire_bytes"] = size
    print(json.dumps(found))


if __name__ == "__main__":
    main()
