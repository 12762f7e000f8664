"""The client of suite `pgsqlite`: the same operations through a driver of Postgres, or on SQLite itself.

    wire_client.py DRIVER WHERE PROFILE     DRIVER: apsw, psycopg, psycopg-simple, psycopg2

WHERE is a file for apsw, else the words of a connection. The answer is a line of JSON: for each workload and size the
times in nanoseconds, and digests of what was executed and of the answers. All rows are fetched on all ways.
"""

import hashlib
import json
import multiprocessing
import select
import socket
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.catalogue import pgsqlite as suite

WARM = 10
"""Reads after which a driver has prepared the statement."""
MEETING_SECONDS = 10


class Direct:
    """SQLite in this process."""

    def __init__(self, where, autocommit):
        import apsw

        self.db, self.autocommit = apsw.Connection(where), autocommit
        for setting in suite.PRAGMAS:
            list(self.db.execute(f"PRAGMA {setting}"))
        self.cursor = self.db.cursor()

    def dialect(self, sql):
        return sql.replace("%s", "?").replace("{key}", suite.KEYS["apsw"])

    def run(self, sql, values=()):
        if not self.autocommit and not self.db.in_transaction:
            self.cursor.execute("BEGIN")
        return self.cursor.execute(sql, values).fetchall()

    def commit(self):
        if self.db.in_transaction:
            self.cursor.execute("COMMIT")

    def close(self):
        self.db.close()


class Wire:
    """A driver of Postgres."""

    def __init__(self, driver, where, autocommit):
        if driver == suite.OLDER:
            import psycopg2

            self.db = psycopg2.connect(where)
            self.cursor = self.db.cursor()
        else:
            import psycopg

            self.db = psycopg.connect(where)
            self.cursor = psycopg.ClientCursor(self.db) if driver == suite.SIMPLE else self.db.cursor()
        self.db.autocommit = autocommit

    def dialect(self, sql):
        return sql.replace("{key}", suite.KEYS["others"])

    def run(self, sql, values=()):
        self.cursor.execute(sql, values)
        return self.cursor.fetchall() if self.cursor.description else []

    def commit(self):
        self.db.commit()

    def close(self):
        self.db.close()


def connect(driver, where, autocommit=False):
    return Direct(where, autocommit) if driver == suite.DIRECT else Wire(driver, where, autocommit)


class Measured:
    """One workload at one size."""

    def __init__(self):
        self.times, self.wire_bytes = [], None
        self.executed, self.answers = hashlib.sha256(), hashlib.sha256()

    def add(self, took, statement, rows):
        self.times.append(took)
        self.executed.update(repr(statement).encode())
        self.check(rows, ordered="ORDER BY" in statement[0])

    def check(self, rows, ordered=False):
        lines = ["|".join(map(written, row)) for row in rows]
        self.answers.update("\n".join(lines if ordered else sorted(lines)).encode() + b"\n")


def written(value):
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:.6f}" if isinstance(value, float) else str(value)


def played(db, sql, values=()):
    """Execute a statement; what `Measured.add` takes."""
    text = db.dialect(sql)
    start = time.perf_counter_ns()
    rows = db.run(text, values)
    return time.perf_counter_ns() - start, (sql, values), rows


class Client:
    """A driver, the way to a server, and what was measured."""

    def __init__(self, driver, where):
        self.driver, self.where = driver, where
        self.found = {}

    def connected(self, autocommit=False):
        return closing(connect(self.driver, self.where, autocommit))

    def of(self, name, size):
        return self.found.setdefault((name, size), Measured())


def operations(client, count):
    """PG1."""
    with client.connected() as db:
        db.run("DROP TABLE IF EXISTS benchmark_table")
        db.commit()
        client.of("create", count).add(*played(db, suite.BENCHMARK_TABLE))
        db.commit()
        for turn, (name, statement) in enumerate(suite.mix(count)):
            client.of(name, count).add(*played(db, *statement))
            if turn % suite.COMMIT_EACH == 0:
                db.commit()
        db.commit()
        left = db.run("SELECT * FROM benchmark_table")
        for name in ("insert", "update", "delete"):
            client.of(name, count).check(left)
        for statement in suite.CACHED.items():
            played(db, *statement)
            for _ in range(suite.CACHED_ROUNDS):
                client.of("cached", count).add(*played(db, *statement))


def batches(client, rows):
    """PG2."""
    with client.connected() as db:
        db.run("DROP TABLE IF EXISTS batch_test")
        db.run(suite.BATCH_TABLE)
        db.commit()
        for size in suite.BATCHES:
            measured = client.of(f"batch-{size}", rows)
            for statement in suite.inserts(rows, size):
                measured.add(*played(db, *statement))
            measured.check(db.run("SELECT * FROM batch_test"))
            db.run("DELETE FROM batch_test")
            db.commit()


def connections(client):
    """PG3."""
    for turn in range(1 + suite.CONNECTIONS):
        start = time.perf_counter_ns()
        with client.connected(autocommit=True) as db:
            took, query = time.perf_counter_ns() - start, played(db, suite.FIRST_QUERY)
        # The first one loads what libpq needs for TLS.
        if turn:
            client.of("connect", 0).times.append(took)
            client.of("first-query", 0).add(*query)


def handshakes(client):
    """PG3, of connections by TLS."""
    client.of("tls", 0).times += [handshake(client.where) for _ in range(suite.CONNECTIONS)]


def handshake(where):
    """The nanoseconds that libpq is in the state of agreeing on TLS while it connects."""
    from psycopg import pq

    connection, ready, took = pq.PGconn.connect_start(where.encode()), pq.PollingStatus.WRITING, 0
    while ready != pq.PollingStatus.OK:
        if ready == pq.PollingStatus.FAILED:
            sys.exit(connection.get_error_message())
        start, in_tls = time.perf_counter_ns(), connection.status == pq.ConnStatus.SSL_STARTUP
        sockets = [connection.socket]
        select.select(*((sockets, []) if ready == pq.PollingStatus.READING else ([], sockets)), [])
        ready = connection.connect_poll()
        if in_tls:
            took += time.perf_counter_ns() - start
    connection.finish()
    return took


def users(client):
    """The table of PG4 to PG6."""
    with client.connected() as db:
        db.run("DROP TABLE IF EXISTS users")
        db.run(suite.USERS_TABLE)
        for id in range(suite.USERS):
            played(db, suite.INSERT_USER, (id, f"user{id:04}", id * 10))
        db.commit()


def clients(client):
    """PG5. They are processes: threads would wait for Python's lock, and not for the server."""
    context = multiprocessing.get_context("fork")
    meeting, results = context.Barrier(suite.CLIENTS, timeout=MEETING_SECONDS), []
    for place in range(suite.CLIENTS):
        result, end = context.Pipe(duplex=False)
        context.Process(target=reader, args=(client, place, meeting, end), daemon=True).start()
        # A process that fails then ends its pipe.
        end.close()
        results.append(result)
    for result in results:
        try:
            for read in result.recv():
                client.of("clients", suite.USERS).add(*read)
        except EOFError:
            sys.exit("one of the clients at once fails")


def reader(client, place, meeting, end):
    """One of the clients."""
    ids = range(place * suite.READS_OF_A_CLIENT, (place + 1) * suite.READS_OF_A_CLIENT)
    with client.connected(autocommit=True) as db:
        meeting.wait()
        end.send([played(db, suite.READ_ALL, (id,)) for id in ids])


class Relay(threading.Thread):
    """A port that passes one connection on to the server, and counts its bytes."""

    def __init__(self, where):
        super().__init__(daemon=True)
        words = dict(word.split("=") for word in where.split())
        self.host, self.port, self.bytes = words["host"], int(words["port"]), 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        here = {"host": "127.0.0.1", "port": self.listener.getsockname()[1]}
        self.where = " ".join(f"{name}={value}" for name, value in {**words, **here}.items())

    def run(self):
        near, _ = self.listener.accept()
        with self.listener, near, self.server() as far:
            while ready := select.select([near, far], [], [])[0]:
                for one in ready:
                    data = one.recv(65536)
                    if not data:
                        return
                    self.bytes += len(data)
                    (far if one is near else near).sendall(data)

    def server(self):
        if not self.host.startswith("/"):
            return socket.create_connection((self.host, self.port))
        found = socket.socket(socket.AF_UNIX)
        found.connect(f"{self.host}/.s.PGSQL.{self.port}")
        return found


def messages(client, name, driver, ids):
    """PG4 and PG6: reads by id; then again through a relay, since that makes them slower."""
    measured = client.of(name, suite.USERS)
    with closing(connect(driver, client.where, autocommit=True)) as db:
        reads(db, [0] * WARM)
        for read in reads(db, ids):
            measured.add(*read)
    if driver != suite.DIRECT:
        relay = Relay(client.where)
        relay.start()
        with closing(connect(driver, relay.where, autocommit=True)) as db:
            reads(db, [0] * WARM)
            before = relay.bytes
            reads(db, ids)
            measured.wire_bytes = (relay.bytes - before) // len(ids)


def reads(db, ids):
    return [played(db, suite.READ, (id,)) for id in ids]


def measured(driver, where, profile):
    """The rows of a run."""
    client = Client(driver, where)
    for count in suite.OPERATIONS[profile]:
        operations(client, count)
    for rows in suite.INSERTED[profile]:
        batches(client, rows)
    connections(client)
    if "sslmode=require" in where:
        handshakes(client)
    users(client)
    clients(client)
    messages(client, "message", driver, [1] * suite.READS)
    for name, protocol in suite.PROTOCOLS.items():
        if driver in suite.WORKLOADS[name].drivers:
            messages(client, name, driver if driver == suite.DIRECT else protocol, range(suite.READS))
    return [
        {"workload": name, "size": size, "times": each.times, "wire_bytes": each.wire_bytes,
         "executed": each.executed.hexdigest(), "answers": each.answers.hexdigest()}
        for (name, size), each in client.found.items()
    ]  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(measured(*sys.argv[1:])))
