"""Compare two servers: see tooling/bench/serve."""

import re
import statistics
import subprocess
import sys
import time

import psycopg

pgbench, rounds, seconds, ours, theirs, server = sys.argv[1:]


def rate(script, clients, dsn):
    command = [pgbench, "-n", "-M", "prepared", "-b", script, "-c", clients, "-j", "1", "-T", seconds, dsn]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(re.search(r"tps = ([\d.]+)", output)[1])


def connection(dsn):
    """Microseconds of a new connection with its first row, by libpq: psycopg adds half a millisecond of Python."""
    command = [pgbench, "-n", "-C", "-f", "/dev/stdin", "-t", "300", dsn]
    output = subprocess.run(command, input="SELECT 1;", capture_output=True, text=True, check=True).stdout
    return float(re.search(r"latency average = ([\d.]+) ms", output)[1]) * 1000


def times(dsn):
    """Median times of statements in microseconds, and of a new connection with its first row."""
    db = psycopg.connect(dsn, autocommit=True)
    db.execute("DROP TABLE IF EXISTS times")
    db.execute("CREATE TABLE times(id integer PRIMARY KEY, value integer)")
    found = []
    for sql, values in [
        ("INSERT INTO times VALUES (%s, %s)", lambda i: (i, i)),
        ("SELECT value FROM times WHERE id = %s", lambda i: (i,)),
        ("UPDATE times SET value = value + 1 WHERE id = %s", lambda i: (i,)),
        ("DELETE FROM times WHERE id = %s", lambda i: (i,)),
    ]:
        found.append(median(lambda i, sql=sql, values=values: db.execute(sql, values(i), prepare=True), 1000))
    db.close()
    found.append(median(lambda _: first_row(dsn), 50))
    return found


def first_row(dsn):
    with psycopg.connect(dsn) as db:
        assert db.execute("SELECT 1").fetchone() == (1,)


def median(work, count):
    measured = []
    for i in range(count):
        start = time.perf_counter()
        work(i)
        measured.append(time.perf_counter() - start)
    return statistics.median(measured) * 1e6


def resident():
    with open(f"/proc/{server}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


for script, clients in [("select-only", "1"), ("select-only", "8"), ("simple-update", "1")]:
    pairs = [(rate(script, clients, ours), rate(script, clients, theirs)) for _ in range(int(rounds))]
    ratio = statistics.median(one / other for one, other in pairs)
    print(f"pgbench {script}, {clients} clients: {ratio:.2f}  ({pairs[-1][0]:.0f} to {pairs[-1][1]:.0f} a second)")
pairs = [(times(ours), times(theirs)) for _ in range(int(rounds))]
for index, name in enumerate(["INSERT", "SELECT by key", "UPDATE", "DELETE", "new connection to first row"]):
    ratio = statistics.median(one[index] / other[index] for one, other in pairs)
    both = [statistics.median(pair[side][index] for pair in pairs) for side in (0, 1)]
    print(f"psycopg {name}: {ratio:.2f}  ({both[0]:.0f} to {both[1]:.0f} µs)")
pairs = [(connection(ours), connection(theirs)) for _ in range(int(rounds))]
both = [statistics.median(side) for side in zip(*pairs)]
ratio = statistics.median(one / other for one, other in pairs)
print(f"libpq new connection to first row: {ratio:.2f}  ({both[0]:.0f} to {both[1]:.0f} µs)")
first = psycopg.connect(ours)
before = resident()
idle = [psycopg.connect(ours) for _ in range(20)]
print(f"memory of an idle client: {(resident() - before) / 1024 / len(idle):.2f} MB")
