"""Suite `sqlink`, SL1 to SL13: the scripts of reference 001; SL9 through a pipe is in `persistent.py`.

The reference times building too, so these do; suite `shell` has them with an untimed set-up.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any

from ..workloads import START, WORKLOADS as OF_SHELL, Script, Workload, hundred_megabytes

TABLE = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, val INTEGER);"
BIG_CACHE = "PRAGMA cache_size=-200000;"
COMMITS = 500
SERIES_ROWS = 100_000
PREFIXES = 10_000
NAMED_ROWS = 1_000
PREFIXED = f"printf('%.{PREFIXES}c', 'x')"


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


def named_rows(_rows: int) -> Iterator[str]:
    """The table of SL9."""
    yield "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);"
    yield f"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT {NAMED_ROWS}) INSERT INTO t SELECT i, 'row-' || i FROM n;"


def named_row(id: int) -> tuple[str, str]:
    """A query and its answer."""
    return f"SELECT name FROM t WHERE id = {id};", f"row-{id}"


def one_named_row(_rows: int) -> Iterator[str]:
    yield named_row(7)[0]


def lengths(rows: int) -> Iterator[str]:
    yield from (*build(rows), "SELECT sum(length(name)) FROM t;")


def hashes(rows: int) -> Iterator[str]:
    yield from (*build(rows), "SELECT sum(length(sha3(name, 256))) FROM t;")


def series(_rows: int) -> Iterator[str]:
    yield f"SELECT count(*), sum(value) FROM generate_series(1, {SERIES_ROWS});"


def prefixes(table: str) -> Script:
    """All beginnings of a text, in one."""
    return lambda _rows: iter((f"SELECT length(group_concat(prefix)) FROM {table}({PREFIXED});",))


def prefixes_of_series(_rows: int) -> Iterator[str]:
    yield f"SELECT length(group_concat(substr({PREFIXED}, 1, value))) FROM generate_series(1, {PREFIXES});"


def existing() -> Iterator[Workload]:
    """Readers alongside a writer, checkpoints and scans, which suite `shell` has; of a smaller file here."""
    for workload in OF_SHELL:
        scan: dict[str, Any] = {"setup": hundred_megabytes, "fixed_amount": "100 MB"} if workload.name.startswith("scan-") else {}
        if scan or workload.name.startswith(("wal-readers", "checkpoint")):
            yield dataclasses.replace(workload, name=f"SL13.v1/{workload.name}", heavy=True, **scan)


IN_THE_PROGRAM: dict[str, Any] = {"embedded": True, "heavy": True}
"""Composing is too much for profile `smoke`."""
PLACED: dict[str, dict[str, Any]] = {"ext": {}, "embedded": IN_THE_PROGRAM}
"""An extension that is loaded, and one in the program."""

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
    Workload(
        "SL8.v1/start-composed",
        "the same, with an extension in the program",
        START.script,
        fixed_amount=START.fixed_amount,
        runs_per_repeat=5,
        extension="sha3",
        embedded=True,
        heavy=True,
    ),
    Workload(
        "SL8.v1/start-compiled",
        "the same, compiled each time: `--no-cache`",
        START.script,
        fixed_amount=START.fixed_amount,
        compiles=True,
        heavy=True,
    ),
    Workload(
        "SL9.v1/point-read-process",
        "a row by its id, from a shell of its own",
        one_named_row,
        named_rows,
        fixed_amount=f"1 of {NAMED_ROWS:,} rows",
        runs_per_repeat=5,
    ),
    Workload("SL10.v1/builtin-scalar", "built, then length() of each row", lengths),
    *(
        Workload(f"SL10.v1/{name}-scalar", "built, then sha3() of each row", hashes, native="shathree", extension="sha3", **more)
        for name, more in PLACED.items()
    ),
    *(
        Workload(
            f"SL11.v1/series-{name}", "rows of a table function", series, fixed_amount=f"{SERIES_ROWS:,} rows", native="series", **more
        )
        for name, more in (
            ("by-row", {"extension": "series_by_row"}),
            ("batched", {"extension": "series"}),
            ("embedded", {"extension": "series", **IN_THE_PROGRAM}),
        )
    ),
    *(
        Workload(
            f"SL12.v1/prefixes-{name}",
            "texts of a table function; natively `substr` of a series",
            prefixes(table),
            fixed_amount=f"{PREFIXES:,} characters",
            native_script=prefixes_of_series,
            extension="prefixes",
            **more,
        )
        for name, table, more in (
            ("by-row", "prefixes_by_row", {}),
            ("batched", "prefixes", {}),
            ("embedded", "prefixes", IN_THE_PROGRAM),
        )
    ),
    *existing(),
)
