"""The table of workloads, and the SQL that each of them feeds to a shell.

A workload is one script on the shell's stdin. What it only needs to be there
(its tables) is its setup, which `ref` runs once, untimed, into a template
that is copied for each run.

All data come from fixed seeds. Reals are multiples of 1/64, so that their sums
are exact and do not depend on the way in which a version of SQLite adds up.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from random import Random

Script = Callable[[int], Iterable[str]]

COMMITS = 500
"""Transactions of a `smalltx` run, whatever the requested size."""

CITIES = "Aachen Bergen Cádiz Dublin Evora Firenze Gdańsk Helsinki Izmir Jena Kraków Lyon".split()

TABLE = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, value REAL, payload TEXT);"


@dataclass(frozen=True)
class Workload:
    """One line of the table below."""

    name: str
    about: str
    script: Script
    setup: Script | None = None
    fixed_amount: str = ""
    """What a run does if a count of rows has no meaning for it."""
    must_answer: str = ""
    """First line of output without which an engine cannot do this workload."""
    runs_per_repeat: int = 1
    """More for a run of a few milliseconds, whose median needs more of them."""
    readers: int = 1
    """This many processes run the script at once, on one database."""
    writer: Script | None = None
    """Run meanwhile by one more process, for as long as the others need."""
    heavy: bool = False
    """Too much for profile `smoke`."""
    keeps_database: bool = False
    """Nothing is written, so a large template need not be copied."""
    extension: str = ""
    """What ours load before the script."""
    embedded: bool = False
    """It is in the program instead."""
    compiles: bool = False
    """Ours compile their program at each start, which only `wasm` can."""
    native: str = ""
    """What the reference loads for it, a library of `tooling/build/native-reference`."""
    native_script: Script | None = None
    """What the reference runs, if there is no such library."""


def name_of(row: int) -> str:
    """A text that is different for each row and begins with one of the cities."""
    return f"{CITIES[row * 7 % len(CITIES)]}-{row * 2654435761 % 2**32:08x}"


def inserts(rows: int) -> Iterator[str]:
    random = Random(1)
    for row in range(1, rows + 1):
        value = random.randrange(1_000_000) / 64
        payload = random.randbytes(random.randrange(20, 70)).hex()
        yield f"INSERT INTO t VALUES({row}, '{name_of(row)}', {value}, '{payload}');"


def filled_table(rows: int) -> Iterator[str]:
    yield from (TABLE, "BEGIN;")
    yield from inserts(rows)
    yield "COMMIT;"


def filled_table_after(pragma: str) -> Script:
    def script(rows: int) -> Iterator[str]:
        yield f"PRAGMA {pragma};"
        yield from filled_table(rows)

    return script


def empty_table_after(pragma: str) -> Script:
    def script(_rows: int) -> Iterator[str]:
        yield from (f"PRAGMA {pragma};", TABLE)

    return script


def commits(_rows: int) -> Iterator[str]:
    for insert in inserts(COMMITS):
        yield from ("BEGIN;", insert, "COMMIT;")


def point_reads(rows: int) -> Iterator[str]:
    random = Random(2)
    for _ in range(rows):
        yield f"SELECT name, value FROM t WHERE id = {random.randint(1, rows)};"


def aggregates(_rows: int) -> Iterator[str]:
    for _ in range(3):
        yield (
            "SELECT substr(name, 1, 4) AS city, count(*), sum(value) * 64, printf('%.3f', avg(value)),"
            " max(payload) FROM t GROUP BY city ORDER BY city;"
        )
        yield "SELECT count(*), sum(length(payload)), min(value), printf('%.3f', avg(value)) FROM t;"
        yield (
            "SELECT sum(place), sum(running) * 64, count(DISTINCT previous) FROM (SELECT"
            " row_number() OVER (PARTITION BY substr(name, 1, 4) ORDER BY value, id) AS place,"
            " sum(value) OVER (ORDER BY id ROWS 9 PRECEDING) AS running,"
            " lag(name) OVER (ORDER BY id) AS previous FROM t);"
        )


def visits_of_table(rows: int) -> Iterator[str]:
    random = Random(3)
    yield from filled_table(rows)
    yield from ("CREATE TABLE visit(id INTEGER PRIMARY KEY, name TEXT, cost INTEGER);", "BEGIN;")
    for row in range(1, rows + 1):
        visitor = name_of(random.randint(1, rows))
        yield f"INSERT INTO visit VALUES({row}, '{visitor}', {random.randrange(10_000)});"
    yield from ("COMMIT;", "CREATE INDEX visit_name ON visit(name);")


def joins(_rows: int) -> Iterator[str]:
    for least in (0, 2_500, 5_000, 7_500):
        # CROSS JOIN: the planner of no version may turn the tables round.
        yield (f"SELECT count(*), sum(cost), sum(value) * 64 FROM t CROSS JOIN visit ON visit.name = t.name WHERE t.value >= {least};")


def hashes(_rows: int) -> Iterator[str]:
    yield "SELECT hex(max(sha3(name, 256))) FROM t;"
    for _ in range(3):
        yield "SELECT sum(length(sha3(name, 256))) FROM t;"


def database_in_wal_mode(rows: int) -> Iterator[str]:
    yield "PRAGMA journal_mode=WAL;"
    yield from filled_table(rows)
    yield "CREATE TABLE written(id INTEGER PRIMARY KEY, name TEXT, value REAL, payload TEXT);"


def endless_writes(_rows: int) -> Iterator[str]:
    yield "PRAGMA synchronous=NORMAL;"
    for insert in inserts(400_000):
        yield insert.replace("INTO t ", "INTO written ")


def commits_with_checkpoints(rows: int) -> Iterator[str]:
    yield "PRAGMA wal_autocheckpoint=1;"
    yield from commits(rows)


def kilobytes(rows: int) -> Script:
    """Rows of a thousand bytes each."""

    def script(_rows: int) -> Iterator[str]:
        yield TABLE
        yield (f"INSERT INTO t SELECT value, 'name ' || value, value / 64.0, hex(zeroblob(480)) || value FROM generate_series(1, {rows});")

    return script


gigabyte = kilobytes(1_000_000)
hundred_megabytes = kilobytes(100_000)


def scan_after(pragma: str) -> Script:
    def script(_rows: int) -> Iterator[str]:
        yield f"PRAGMA {pragma};"
        yield "SELECT count(*), sum(id), max(payload), sum(value) FROM t;"

    return script


def one_select(_rows: int) -> Iterator[str]:
    yield "SELECT 1;"


WORKLOADS = (
    Workload("insert", "one transaction of INSERT statements", filled_table),
    Workload("insert-wal", "the same in WAL mode", filled_table_after("journal_mode=WAL"), must_answer="wal"),
    Workload("insert-bigpage", "the same with 64 KiB pages", filled_table_after("page_size=65536")),
    Workload(
        "smalltx-4k",
        "a transaction for each INSERT, 4 KiB pages",
        commits,
        setup=empty_table_after("page_size=4096"),
        fixed_amount=f"{COMMITS} commits",
    ),
    Workload(
        "smalltx-16k",
        "a transaction for each INSERT, 16 KiB pages",
        commits,
        setup=empty_table_after("page_size=16384"),
        fixed_amount=f"{COMMITS} commits",
    ),
    Workload(
        "checkpoint",
        "a transaction and a checkpoint for each INSERT",
        commits_with_checkpoints,
        setup=database_in_wal_mode,
        fixed_amount=f"{COMMITS} commits",
    ),
    *(
        Workload(
            f"wal-readers-{readers}",
            f"{readers} processes `read` beside one that writes",
            point_reads,
            setup=database_in_wal_mode,
            readers=readers,
            writer=endless_writes,
            heavy=True,
        )
        for readers in (1, 2, 4)
    ),
    *(
        Workload(
            f"scan-{name}",
            f"all of a gigabyte, {what}",
            scan_after(f"mmap_size={size}"),
            setup=gigabyte,
            fixed_amount="1 GB",
            heavy=True,
            keeps_database=True,
        )
        for name, what, size in (("read", "page by page", 0), ("mmap", "mapped into memory", 1_500_000_000))
    ),
    Workload("read", "a SELECT by random rowid for each row", point_reads, setup=filled_table),
    Workload("agg", "GROUP BY, whole-table and window aggregates", aggregates, setup=filled_table),
    Workload("join", "two tables joined over an index", joins, setup=visits_of_table),
    Workload("builtin-scalar", "the shell's sha3() on each row", hashes, setup=filled_table),
)

START = Workload("startup", "SELECT 1;", one_select, fixed_amount="1 select", runs_per_repeat=5)
