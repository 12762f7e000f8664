"""Figures of engines that no registry has, as their own documents state them: from other machines.

They are shown apart and compared with nothing.
"""

MILLISECOND = 1e6
MICROSECOND = 1e3

# Suite, workload, engine, nanoseconds of an operation.
QUOTED = (
    ("turdb", "T1, WAL off", "TurDB", 17.9 * MILLISECOND),
    ("turdb", "T2, WAL off", "TurDB", 9.02 * MILLISECOND),
    ("turdb", "T3, WAL off", "TurDB", 392 * MILLISECOND),
    ("turdb", "T4, WAL off", "TurDB", 82.3 * MILLISECOND),
    ("pgsqlite", "PG1 insert, best", "pgsqlite", 60 * MICROSECOND),
    ("pgsqlite", "PG1 update, best", "pgsqlite", 59 * MICROSECOND),
    ("pgsqlite", "PG1 delete, best", "pgsqlite", 34 * MICROSECOND),
    ("pgsqlite", "PG1 cached, best", "pgsqlite", 46 * MICROSECOND),
    ("sqlink", "SL1 insert 100,000", "sqlink .cwasm", 396 * MILLISECOND),
    ("sqlink", "SL4 read 100,000", "sqlink .cwasm", 4_890 * MILLISECOND),
    ("sqlink", "SL5 agg 100,000", "sqlink .cwasm", 415 * MILLISECOND),
    ("sqlink", "SL6 join 100,000", "sqlink .cwasm", 377 * MILLISECOND),
)


def quoted(suite: str) -> list[tuple[str, str, float]]:
    return [(workload, engine, nanoseconds) for of, workload, engine, nanoseconds in QUOTED if of == suite]
