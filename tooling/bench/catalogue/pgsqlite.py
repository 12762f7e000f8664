"""Suite `pgsqlite`, PG1 to PG6 of reference 004: what its client executes through drivers of Postgres, and on SQLite itself.

A value is `%s`, as these drivers write it; SQLite gets `?`. `{key}` is a key that the engine counts itself.
"""

from collections.abc import Iterator
from string import ascii_letters
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
LETTERS = ascii_letters
COMMIT_EACH = 100
CACHED_ROUNDS = 20
BATCHES = (1, 10, 100, 1_000)
CONNECTIONS = 10
READS = 100
CLIENTS, READS_OF_A_CLIENT = 4, 25

Sizes = dict[str, tuple[int, ...]]
"""Rows in each profile."""
OPERATIONS: Sizes = {SMOKE: (50,), SMALL: (200,), FULL: (1_000, 5_000)}
INSERTED: Sizes = {SMOKE: (1_000,), SMALL: (1_000,), FULL: (1_000, 5_000)}
"""The largest batch is full."""
NO_TABLE: Sizes = dict.fromkeys(PROFILES, (0,))
USERS = 1_000
OF_USERS: Sizes = dict.fromkeys(PROFILES, (USERS,))

BENCHMARK_TABLE = "CREATE TABLE benchmark_table(id {key}, text_col TEXT, int_col INTEGER, real_col DOUBLE PRECISION, bool_col BOOLEAN)"
INSERT = "INSERT INTO benchmark_table(text_col, int_col, real_col, bool_col) VALUES (%s, %s, %s, %s) RETURNING id"
UPDATE = "UPDATE benchmark_table SET text_col = %s WHERE id = %s"
DELETE = "DELETE FROM benchmark_table WHERE id = %s"
SELECT = "SELECT * FROM benchmark_table WHERE int_col > %s ORDER BY id"
CACHED = (
    "SELECT * FROM benchmark_table WHERE int_col > 2500 ORDER BY id",
    "SELECT text_col, real_col FROM benchmark_table WHERE bool_col = true ORDER BY id",
    "SELECT COUNT(*) FROM benchmark_table WHERE text_col LIKE 'A%%'",
    "SELECT COUNT(*), SUM(int_col) FROM benchmark_table WHERE int_col BETWEEN 1000 AND 5000",
    "SELECT * FROM benchmark_table ORDER BY int_col DESC, id LIMIT 10",
)
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


def of_connections(name: str, about: str, *statements: str, by_tls: bool = False) -> Workload:
    """A row of PG3."""
    return Workload(f"PG3.v2/{name}", f"{about}; {CONNECTIONS} times in turn", NO_TABLE, (), statements, by_tls=by_tls)


def of_inserts(rows: int) -> Workload:
    """A row of PG2."""
    about = f"INSERT of {rows:,} rows a statement, all in one transaction; the reference commits each statement"
    return Workload(f"PG2.v2/batch-{rows}", about, INSERTED, (BATCH_TABLE,), (insert_of(1),))


def insert_of(rows: int) -> str:
    return f"INSERT INTO batch_test VALUES {', '.join(['(%s, %s, %s, %s)'] * rows)}"


WORKLOADS = {
    "create": Workload("PG1.v1/create", "CREATE TABLE", OPERATIONS, (), (BENCHMARK_TABLE,)),
    "insert": Workload("PG1.v1/insert", f"INSERT … RETURNING id, a commit each {COMMIT_EACH}", OPERATIONS, (BENCHMARK_TABLE,), (INSERT,)),
    "update": Workload("PG1.v1/update", "UPDATE of one row by its id", OPERATIONS, (BENCHMARK_TABLE,), (UPDATE,)),
    "delete": Workload("PG1.v1/delete", "DELETE of one row by its id", OPERATIONS, (BENCHMARK_TABLE,), (DELETE,)),
    "select": Workload("PG1.v1/select", "SELECT * WHERE int_col > ?, no index, all rows fetched", OPERATIONS, (BENCHMARK_TABLE,), (SELECT,)),
    "cached": Workload("PG1.v1/cached", f"five queries, {CACHED_ROUNDS} times each, all rows fetched", OPERATIONS, (BENCHMARK_TABLE,), CACHED),
    **{f"batch-{rows}": of_inserts(rows) for rows in BATCHES},
    "connect": of_connections("connect", "connecting, with TLS where the engine has it"),
    "tls": of_connections("tls", "the part of connecting in which client and server agree on TLS", by_tls=True),
    "first-query": of_connections("first-query", "SELECT 1 on a new connection, without a transaction", FIRST_QUERY),
    "message": Workload(
        "PG4.v2/message",
        "a row of 12 bytes by its id, always the same: bytes both ways, and memory of the server's processes",
        OF_USERS,
        (USERS_TABLE,),
        (READ,),
    ),
    "clients": Workload(
        f"PG5.v2/{CLIENTS}-clients",
        f"{CLIENTS} processes at once, {READS_OF_A_CLIENT} reads each after all have connected; the reference has tasks of a compiled program",
        OF_USERS,
        (USERS_TABLE,),
        (READ_ALL,),
    ),
    **{
        name: Workload(f"PG6.v1/{name}", f"a row by its id, each time another, by the {name} protocol", OF_USERS, (USERS_TABLE,), (READ,), (DIRECT, EXTENDED))
        for name in PROTOCOLS
    },
}
"""By the client's names for them."""

Statement = tuple[str, tuple]
"""A text and its values."""


def row(numbers: Generator) -> tuple:
    return text(numbers), numbers.between(1, 10_000), numbers.between(0, 64_000) / 64, bool(numbers.below(2))


def text(numbers: Generator) -> str:
    return "".join(LETTERS[numbers.below(len(LETTERS))] for _ in range(20))


def inserts(rows: int, size: int) -> Iterator[Statement]:
    """A batch of PG2 after the other."""
    for start in range(0, rows, size):
        ids = range(start, start + size)
        yield insert_of(size), tuple(value for id in ids for value in (id, f"name-{id}", id * 7, f"description of {id}"))
