"""Figures of engines that no registry has, as their own documents state them: from other machines.

They are shown apart and compared with nothing. Each is of an operation as our rows of profile `full` have it.
"""

MILLISECOND = 1e6
MICROSECOND = 1e3

# Rows of an operation, operations of the run whose milliseconds are stated, and these with WAL on and off.
TURDB = {
    "T1": ("1,000", 1, 18.9, 17.9),
    "T2": ("10,000", 1, 15.3, 9.02),
    "T3": ("1,000", 100, 598, 392),
    "T4": ("1,000", 100, 282, 82.3),
}

# Suite, workload, engine, nanoseconds of an operation.
QUOTED = (
    *(
        ("turdb", f"{id}, {rows} rows, WAL {wal}", "TurDB", took / operations * MILLISECOND)
        for id, (rows, operations, *times) in TURDB.items()
        for wal, took in zip(("on", "off"), times)
    ),
    ("pgsqlite", "PG1 create, best", "pgsqlite", 10.061 * MILLISECOND),
    ("pgsqlite", "PG1 insert, best", "pgsqlite", 60 * MICROSECOND),
    ("pgsqlite", "PG1 update, best", "pgsqlite", 53 * MICROSECOND),
    ("pgsqlite", "PG1 delete, best", "pgsqlite", 33 * MICROSECOND),
    ("pgsqlite", "PG1 select, best", "pgsqlite", 669 * MICROSECOND),
    ("pgsqlite", "PG1 cached, best", "pgsqlite", 46 * MICROSECOND),
    ("sqlink", "SL1 insert 100,000", "sqlink .cwasm", 396 * MILLISECOND),
    ("sqlink", "SL4 read 100,000", "sqlink .cwasm", 4_890 * MILLISECOND),
    ("sqlink", "SL5 agg 100,000", "sqlink .cwasm", 415 * MILLISECOND),
    ("sqlink", "SL6 join 100,000", "sqlink .cwasm", 377 * MILLISECOND),
)


def quoted(suite: str) -> list[tuple[str, str, float]]:
    return [(workload, engine, nanoseconds) for of, workload, engine, nanoseconds in QUOTED if of == suite]
