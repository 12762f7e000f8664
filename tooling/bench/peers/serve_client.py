"""Clients of `serve`: a pipeline of libSQL's protocol by its statements' own time, a commit with subscribers by one
without, and p99 with hostile clients.

Arguments: the URL with the token, the address of the counters, the DSN of the Postgres wire. Prints an object of ratios.
"""

import json
import multiprocessing
import os
import re
import selectors
import socket
import statistics
import sys
import time
import urllib.request

import psycopg

STATEMENTS = 100
ROUNDS = 300
SUBSCRIBERS, COMMITS, PACE = 50, 2000, 0.001
SECONDS = 3.0
ENDLESS = "WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c)"


class Pipe:
    """A connection that stays open, with a stream."""

    def __init__(self, url):
        base, token = url.split("/#token=")
        authority = base.split("//")[1]
        self.socket = socket.create_connection(authority.split(":"))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.head = f"POST /v3/pipeline HTTP/1.1\r\nHost: {authority}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: "
        self.baton = "null"

    def run(self, requests):
        body = f'{{"baton":{self.baton},"requests":{requests}}}'
        self.socket.sendall(f"{self.head}{len(body)}\r\n\r\n{body}".encode())
        reply = self.socket.recv(1 << 16)
        while b"\r\n\r\n" not in reply:
            reply += self.socket.recv(1 << 16)
        head, _, found = reply.partition(b"\r\n\r\n")
        length = int(re.search(rb"content-length: (\d+)", head, re.I)[1])
        while len(found) < length:
            found += self.socket.recv(1 << 16)
        self.baton = '"' + re.search(rb'"baton":"([^"]+)"', found)[1].decode() + '"'
        return found


def execute(sql, *values):
    args = [{"type": "integer", "value": str(value)} for value in values]
    return {"type": "execute", "stmt": {"sql": sql, "args": args}}


def counted(metrics):
    """The time that statements have taken, in seconds, and how many there were."""
    with urllib.request.urlopen(f"http://{metrics}/metrics") as reply:
        text = reply.read().decode()
    total, count = (float(re.search(rf"statement_seconds_{name} (\S+)", text)[1]) for name in ("sum", "count"))
    return total, count


def pipeline(url, metrics):
    pipe = Pipe(url)
    setup = [
        "DROP TABLE IF EXISTS pipe",
        "CREATE TABLE pipe(id INTEGER PRIMARY KEY, value)",
        f"{ENDLESS} INSERT INTO pipe SELECT i, i FROM (SELECT i FROM c LIMIT 1000)",
    ]
    pipe.run(json.dumps([execute(sql) for sql in setup]))
    all = json.dumps([execute("SELECT value FROM pipe WHERE id = ?", i) for i in range(1, STATEMENTS + 1)])
    times = []
    assert pipe.run(all).count(b'"type":"ok"') == STATEMENTS
    before, count = counted(metrics)
    for _ in range(ROUNDS):
        start = time.perf_counter()
        pipe.run(all)
        times.append(time.perf_counter() - start)
    after, now = counted(metrics)
    assert now - count == ROUNDS * STATEMENTS
    own = (after - before) / ROUNDS
    return {f"a pipeline of {STATEMENTS} by its statements' own time": statistics.fmean(times) / own}


def commits(dsn):
    """Commits at an even pace. Returns the time of the middle one."""
    times = []
    with psycopg.connect(dsn, autocommit=True) as db:
        begun = time.perf_counter()
        for index in range(COMMITS):
            time.sleep(max(0.0, begun + PACE * index - time.perf_counter()))
            start = time.perf_counter()
            db.execute("INSERT INTO heard(a) VALUES (1)", prepare=True)
            times.append(time.perf_counter() - start)
    return statistics.median(times)


def subscribe(url, ready):
    """Read all commits by each subscriber; fail if one is missing, or out of order."""
    base, token = url.split("/#token=")
    authority = base.split("//")[1]
    request = f"GET /v1/changes HTTP/1.1\r\nHost: {authority}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    selector, left = selectors.DefaultSelector(), SUBSCRIBERS
    for _ in range(SUBSCRIBERS):
        one = socket.create_connection(authority.split(":"))
        one.sendall(request)
        text = b""
        while b"event: ready" not in text:
            text += one.recv(1 << 16)
        selector.register(one, selectors.EVENT_READ, [b"", []])
    ready.set()
    while left:
        for key, _ in selector.select():
            state = key.data
            *lines, state[0] = (state[0] + key.fileobj.recv(1 << 16)).split(b"\n")
            state[1] += [json.loads(line[6:])["tables"]["heard"] for line in lines if line.startswith(b"data: ")]
            if len(state[1]) == COMMITS:
                first = state[1][0][0]
                assert state[1] == [[first + index] for index in range(COMMITS)], "commits are missing, or in another order"
                selector.unregister(key.fileobj)
                left -= 1


def beside_subscribers(url, dsn):
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("CREATE TABLE IF NOT EXISTS heard(id integer PRIMARY KEY, a integer)")
    without = commits(dsn)
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    readers = context.Process(target=subscribe, args=(url, ready), daemon=True)
    readers.start()
    assert ready.wait(30)
    heard = commits(dsn)
    readers.join(30)
    assert readers.exitcode == 0
    return {f"a commit beside {SUBSCRIBERS} subscribers, by one without": heard / without}


def p99(dsn, seconds=SECONDS):
    times = []
    with psycopg.connect(dsn, autocommit=True) as db:
        end = time.perf_counter() + seconds
        while (start := time.perf_counter()) < end:
            db.execute("SELECT value FROM pipe WHERE id = %s", (1 + len(times) % 1000,), prepare=True)
            times.append(time.perf_counter() - start)
    return statistics.quantiles(times, n=100)[98]


def again(work):
    while True:
        try:
            work()
        except (OSError, psycopg.Error):
            time.sleep(0.01)


def hostile(url, dsn):
    authority = url.split("//")[1].split("/")[0].split(":")

    def query(sql):
        with psycopg.connect(dsn, autocommit=True) as db:
            db.execute(sql)

    head = Pipe(url).head

    def garbage():
        with socket.create_connection(authority) as one:
            one.sendall(os.urandom(4096))
            one.recv(4096)

    def half_closed():
        with socket.create_connection(authority) as one:
            one.sendall(f"{head}100\r\n\r\n{{".encode())
            one.shutdown(socket.SHUT_WR)
            one.recv(4096)

    def slow_reader():
        with psycopg.connect(dsn) as db:
            db.pgconn.send_query(f"{ENDLESS} SELECT i, 'some text' FROM c LIMIT 9000000".encode())
            db.pgconn.flush()
            time.sleep(SECONDS)

    return {
        "a loop": lambda: query(f"{ENDLESS} SELECT count(*) FROM c"),
        "a memory bomb": lambda: query(f"{ENDLESS} SELECT group_concat(i) FROM c"),
        "garbage": garbage,
        "a half-close": half_closed,
        "a slow reader": slow_reader,
    }


def beside(url, dsn):
    found = {}
    for name, work in hostile(url, dsn).items():
        quiet = p99(dsn)
        attacker = multiprocessing.get_context("fork").Process(target=again, args=(work,), daemon=True)
        attacker.start()
        time.sleep(0.3)
        found[f"p99 beside {name}, by the undisturbed"] = p99(dsn) / quiet
        attacker.kill()
        attacker.join()
    return found


if __name__ == "__main__":
    url, metrics, dsn = sys.argv[1:]
    print(json.dumps(pipeline(url, metrics) | beside_subscribers(url, dsn) | beside(url, dsn)))
