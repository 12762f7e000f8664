"""Suite `sqlink`, SL1 to SL8, SL10 and SL13: the scripts of reference 001.

The reference times building too, so these do; suite `shell` has them with an untimed set-up.
"""

from collections.abc import Iterator

from ..workloads import START, Script, Workload
from ..workloads import WORKLOADS as OF_SHELL

TABLE = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, val INTEGER);"
BIG_CACHE = "PRAGMA cache_size=-200000;"
COMMITS = 500


def inserts(rows: int) -> Iterator[str]:
    return (f"INSERT INTO t VALUES({row}, 'row-{row}', {row * 7});" for row in range(rows))


def build(rows: int) -> Iterator[str]:
    yield from (TABLE, "BEGIN;", *inserts(rows), "COMMIT;")


def after(*pragmas: str) -> Script:
    def script(rows: int) -> Iterator[str]:
        yield from (*pragmas, *build(rows), "SELECT count(*) FROM t;")

    return script


def read(rows: int) -> Iterator[str]:
    yield from build(rows)
    yield from (f"SELECT name FROM t WHERE id={row};" for row in range(rows))


def aggregate(rows: int) -> Iterator[str]:
    yield from build(rows)
    yield "SELECT count(*), sum(val), printf('%.3f', avg(val)) FROM t;"
    yield "SELECT val % 10, count(*) FROM t GROUP BY val % 10 ORDER BY 1;"


def join(rows: int) -> Iterator[str]:
    others = max(50, rows // 100)
    yield from ("CREATE TABLE a(id INTEGER PRIMARY KEY, ref INTEGER);", "CREATE TABLE b(id INTEGER PRIMARY KEY, name TEXT);", "BEGIN;")
    yield from (f"INSERT INTO a VALUES({row}, {row % others});" for row in range(rows))
    yield from (f"INSERT INTO b VALUES({row}, 'name-{row}');" for row in range(others))
    yield from ("COMMIT;", "SELECT count(*) FROM a JOIN b ON a.ref = b.id;")


def commits(page_bytes: int) -> Script:
    def script(_rows: int) -> Iterator[str]:
        yield from (f"PRAGMA page_size={page_bytes};", BIG_CACHE, TABLE, *inserts(COMMITS))

    return script


def lengths(rows: int) -> Iterator[str]:
    yield from (*build(rows), "SELECT sum(length(name)) FROM t;")


def existing() -> Iterator[Workload]:
    """Readers beside a writer, checkpoints and scans, which suite `shell` has."""
    for workload in OF_SHELL:
        if workload.name.startswith(("wal-readers", "checkpoint", "scan-")):
            yield Workload(**{**vars(workload), "name": f"SL13.v1/{workload.name}", "heavy": True})


WORKLOADS = (
    Workload("SL1.v1/insert", "one transaction of INSERT statements", after()),
    Workload("SL2.v1/insert-wal", "the same in WAL mode", after("PRAGMA journal_mode=WAL;"), must_answer="wal"),
    Workload("SL3.v1/insert-bigpage", "pages of 16 KiB, a cache of 200 MB", after("PRAGMA page_size=16384;", BIG_CACHE)),
    Workload("SL4.v1/read", "built, then each row by its id", read),
    Workload("SL5.v1/agg", "built, then sums and groups", aggregate),
    Workload("SL6.v1/join", "two tables built, then joined", join),
    Workload("SL7.v1/smalltx-4k", "a transaction for each row, 4 KiB pages", commits(4096), fixed_amount=f"{COMMITS} commits", heavy=True),
    Workload("SL7.v1/smalltx-16k", "the same, 16 KiB pages", commits(16384), fixed_amount=f"{COMMITS} commits", heavy=True),
    Workload("SL8.v1/start", "SELECT 1;", START.script, fixed_amount=START.fixed_amount, runs_per_repeat=5),
    Workload("SL10.v1/builtin-scalar", "built, then length() of each row", lengths),
    *existing(),
)
