"""Suite `turdb`, T1 to T5: insertion, by texts and by prepared statements; T6 is in `breakdown.py`."""

from ..generator import Generator
from ..tape import Statement, Work
from .loop import SETTINGS, Loop, Size, single, transaction

PEERS = {"nosync-wal": ("apsw", "turso", "duckdb"), "normal-wal": ("apsw", "turso"), "full-wal": ("apsw", "turso")}
ABSENT = {"turso": "has no rollback journal", "duckdb": "has no such settings: see nosync-wal", "sqlrite": "has no blobs"}
TABLE = "CREATE TABLE test_data(id INTEGER PRIMARY KEY, name TEXT NOT NULL, value REAL NOT NULL, data BLOB)"
DATA = b"\xab" * 64
INSERT = "INSERT INTO test_data VALUES (?, ?, ?, ?)"
GATE = ["SELECT id, name, value, data FROM test_data ORDER BY id"]
RAW_BYTES = 8 + 13 + 8 + len(DATA)
PER_TRANSACTION = 1_000


def values(row: int) -> tuple:
    return row, f"user_{row:08}", 1.5 * row, DATA


def text(rows: range) -> str:
    """One statement for these rows. It is written before anything is timed: what is compared is SQLite."""
    parts = (f"({row}, '{name}', {value}, X'{data.hex()}')" for row, name, value, data in map(values, rows))
    return f"INSERT INTO test_data VALUES {', '.join(parts)}"


def work(timed, rows: int, **more) -> Work:
    return Work([TABLE], (), timed, gate=GATE, rows_written=rows, raw_bytes=rows * RAW_BYTES, **more)


def raw(size: Size, _: Generator, __: str) -> Work:
    steps = [(text(range(row, row + 1)), ()) for row in range(size.rows)]
    return work([[("BEGIN", ()), *steps, ("COMMIT", ())]], size.rows)


def prepared(size: Size, _: Generator, __: str) -> Work:
    return work(transaction(map(values, range(size.rows))), size.rows, statements=[Statement(INSERT)])


def batches(size: Size, _: Generator, __: str) -> Work:
    starts = range(0, size.rows, PER_TRANSACTION)
    timed = ([("BEGIN", ()), (text(range(at, min(at + PER_TRANSACTION, size.rows))), ()), ("COMMIT", ())] for at in starts)
    return work(timed, size.rows)


def prepared_batches(size: Size, _: Generator, __: str) -> Work:
    timed = transaction(map(values, range(size.rows)), rows=PER_TRANSACTION)
    return work(timed, size.rows, statements=[Statement(INSERT)])


def automatic(size: Size, _: Generator, __: str) -> Work:
    return work(single(map(values, range(size.rows))), size.rows, statements=[Statement(INSERT)])


FORMS = (
    ("T1", "a text for each row, one transaction", raw, 1_000),
    ("T2", "one prepared statement, one transaction", prepared, 10_000),
    ("T3", "texts of 1,000 rows, a transaction each", batches, 100_000),
    ("T4", "a prepared statement, 1,000 rows a transaction", prepared_batches, 100_000),
)
MATRIX = [name for name in SETTINGS if name.startswith(("nosync-", "normal-", "full-"))]


def loops():
    settings_and_peers = [
        (settings, {"settings": settings, "peers": PEERS.get(settings, ("apsw",)), "absent": ABSENT}) for settings in MATRIX
    ]
    for name, about, make, rows in FORMS:
        for settings, more in settings_and_peers:
            yield Loop(f"{name}.v1/{settings}", about, make, Size(200, 1), Size(rows // 10, 1), Size(rows, 1),
                       storage=settings == "nosync-wal", dearer=True, **more)  # fmt: skip
    for settings, more in settings_and_peers:
        yield Loop(f"T5.v1/{settings}", "a transaction for each row", automatic, Size(20, 1), Size(200, 1), Size(1_000, 1),
                   syncs=True, **more)  # fmt: skip


LOOPS = tuple(loops())
