"""Suite `pgsqlite`, PG1 to PG6 of reference 004: what its client executes through drivers of Postgres, and on SQLite itself.

A value is `%s`, as these drivers write it; SQLite gets `?`. `{key}` is a key that the engine counts itself.
"""

from collections.abc import Iterator
from string import ascii_letters, digits
from typing import NamedTuple

from ..generator import Generator
from .loop import FULL, PROFILES, SMALL, SMOKE

DIRECT, EXTENDED, SIMPLE, OLDER = DRIVERS = ("apsw", "psycopg", "psycopg-simple", "psycopg2")
"""psycopg 3 by the extended and by the simple protocol; psycopg2 has the simple one only."""

PROTOCOLS = {"simple": SIMPLE, "extended": EXTENDED}

KEYS = {"apsw": "INTEGER PRIMARY KEY AUTOINCREMENT", "others": "SERIAL PRIMARY KEY"}
PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=5000", "case_sensitive_like=ON")
"""Of apsw; the last one makes LIKE that of Postgres."""

SEED = 4
LETTERS = ascii_letters + digits
COMMIT_EACH = 100
CACHED_ROUNDS = 20
BATCHES = (1, 10, 100, 1_000)
CONNECTIONS = 10
READS = 100
CLIENTS, READS_OF_A_CLIENT = 4, 25

Sizes = dict[str, tuple[int, ...]]
"""Rows in each profile."""
OPERATIONS: Sizes = {SMOKE: (50,), SMALL: (200,), FULL: (1_000, 5_000)}
ROWS_LEFT = {50: 5, 200: 23, 1_000: 23, 5_000: 53}
"""By these operations of PG1."""
INSERTED: Sizes = {SMOKE: (1_000,), SMALL: (1_000,), FULL: (1_000, 5_000)}
"""The largest batch is full."""
NO_TABLE: Sizes = dict.fromkeys(PROFILES, (0,))
USERS = 1_000
OF_USERS: Sizes = dict.fromkeys(PROFILES, (USERS,))

BENCHMARK_TABLE = "CREATE TABLE benchmark_table(id {key}, text_col TEXT, int_col INTEGER, real_col REAL, bool_col BOOLEAN)"
INSERT = "INSERT INTO benchmark_table(text_col, int_col, real_col, bool_col) VALUES (%s, %s, %s, %s) RETURNING id"
UPDATE = "UPDATE benchmark_table SET text_col = %s WHERE id = %s"
DELETE = "DELETE FROM benchmark_table WHERE id = %s"
SELECT = "SELECT * FROM benchmark_table WHERE int_col > %s"
CACHED = {
    SELECT: (2_500,),
    "SELECT text_col, real_col FROM benchmark_table WHERE bool_col = %s": (True,),
    "SELECT COUNT(*) FROM benchmark_table WHERE text_col LIKE %s": ("A%",),
    "SELECT AVG(real_col) FROM benchmark_table WHERE int_col BETWEEN %s AND %s": (1_000, 5_000),
    "SELECT * FROM benchmark_table ORDER BY int_col DESC, id LIMIT %s": (10,),
}
BATCH_TABLE = "CREATE TABLE batch_test(id INTEGER PRIMARY KEY, name TEXT NOT NULL, value INTEGER NOT NULL, description TEXT)"
FIRST_QUERY = "SELECT 1"
USERS_TABLE = "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, value INTEGER)"
INSERT_USER = "INSERT INTO users VALUES (%s, %s, %s)"
READ = "SELECT id, name FROM users WHERE id = %s"
READ_ALL = "SELECT * FROM users WHERE id = %s"


class Workload(NamedTuple):
    """A row of the suite at each of its sizes."""

    id: str
    about: str
    sizes: Sizes
    schema: tuple[str, ...]
    statements: tuple[str, ...]
    drivers: tuple[str, ...] = DRIVERS
    """Those that can execute it."""
    by_tls: bool = False
    """Only connections by TLS have it."""


def of_mix(name: str, about: str, *statements: str) -> Workload:
    """A row of PG1."""
    frame = f"rows are the operations of the mix, a commit each {COMMIT_EACH}"
    differences = "the reference has a database in memory, and times execute of psycopg2 without the fetch"
    return Workload(f"PG1.v2/{name}", f"{about}; {frame}; {differences}", OPERATIONS, (BENCHMARK_TABLE,), statements)


def of_connections(name: str, about: str, *statements: str, by_tls: bool = False) -> Workload:
    """A row of PG3."""
    return Workload(f"PG3.v2/{name}", f"{about}; {CONNECTIONS} times in turn", NO_TABLE, (), statements, by_tls=by_tls)


def of_inserts(rows: int) -> Workload:
    """A row of PG2."""
    about = f"INSERT of {rows:,} rows a statement, all in one transaction; the reference commits each statement"
    return Workload(f"PG2.v2/batch-{rows}", about, INSERTED, (BATCH_TABLE,), (insert_of(1),))


def of_reads(id: str, about: str, statement: str = READ, drivers: tuple[str, ...] = DRIVERS) -> Workload:
    """A row of PG4, PG5 or PG6."""
    return Workload(id, about, OF_USERS, (USERS_TABLE,), (statement,), drivers)


def insert_of(rows: int) -> str:
    return f"INSERT INTO batch_test VALUES {', '.join(['(%s, %s, %s, %s)'] * rows)}"


LEFT = ", ".join(f"{rows} after {count:,} operations" for count, rows in ROWS_LEFT.items())

WORKLOADS = {
    "create": of_mix("create", "CREATE TABLE", BENCHMARK_TABLE),
    "insert": of_mix("insert", "INSERT … RETURNING id", INSERT),
    "update": of_mix("update", "UPDATE of one row by its id", UPDATE),
    "delete": of_mix("delete", "DELETE of one row by its id", DELETE),
    "select": of_mix("select", "SELECT * WHERE int_col > ?, no index", SELECT),
    "cached": of_mix(
        "cached", f"five queries, {CACHED_ROUNDS} times each after an untimed one, of the rows that the mix leaves ({LEFT})", *CACHED
    ),
    **{f"batch-{rows}": of_inserts(rows) for rows in BATCHES},
    "connect": of_connections("connect", "connecting, with TLS where the engine has it"),
    "tls": of_connections("tls", "the part of connecting in which client and server agree on TLS", by_tls=True),
    "first-query": of_connections("first-query", "SELECT 1 on a new connection, without a transaction", FIRST_QUERY),
    "message": of_reads(
        "PG4.v2/message", "a row of 12 bytes by its id, always the same: bytes both ways, and memory of the server's processes"
    ),
    "clients": of_reads(
        f"PG5.v2/{CLIENTS}-clients",
        f"{CLIENTS} processes at once, {READS_OF_A_CLIENT} reads each after all have connected; the reference has tasks of a compiled program",
        READ_ALL,
    ),
    **{
        name: of_reads(f"PG6.v1/{name}", f"a row by its id, each time another, by the {name} protocol", READ, (DIRECT, EXTENDED))
        for name in PROTOCOLS
    },
}
"""By the client's names for them."""

Statement = tuple[str, tuple]
"""A text and its values."""


def mix(count: int) -> Iterator[tuple[str, Statement]]:
    """The operations of PG1, with their names.

    With less than two rows it inserts, since the newest row must stay: `serve` would give its id to the next one."""
    numbers, newest = Generator(SEED), 0
    ids: list[int] = []
    for _ in range(count):
        kind = ("insert", "update", "delete", "select")[numbers.below(4)]
        if kind == "insert" or len(ids) < 2:
            newest += 1
            ids.append(newest)
            yield "insert", (INSERT, row(numbers))
        elif kind == "update":
            yield kind, (UPDATE, (text(numbers), ids[numbers.below(len(ids))]))
        elif kind == "delete":
            yield kind, (DELETE, (ids.pop(numbers.below(len(ids) - 1)),))
        else:
            yield kind, (SELECT, (numbers.between(1, 5_000),))


def row(numbers: Generator) -> tuple:
    # A quarter has so few digits that `real`, of 32 bits, shows it as it is.
    return text(numbers), numbers.between(1, 10_000), numbers.below(4_000) / 4, bool(numbers.below(2))


def text(numbers: Generator) -> str:
    return "".join(LETTERS[numbers.below(len(LETTERS))] for _ in range(20))


def inserts(rows: int, size: int) -> Iterator[Statement]:
    """A batch of PG2 after the other."""
    for start in range(0, rows, size):
        ids = range(start, start + size)
        yield insert_of(size), tuple(value for id in ids for value in (id, f"name-{id}", id * 7, f"description of {id}"))
