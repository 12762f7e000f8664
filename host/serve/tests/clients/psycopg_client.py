"""psycopg 3 against the server: DSN is the argument."""

import datetime
import decimal
import sys
import threading
import uuid

import psycopg
from psycopg.rows import dict_row

dsn = sys.argv[1]
db = psycopg.connect(dsn, autocommit=True)
db.execute("DROP TABLE IF EXISTS t")
db.execute(
    "CREATE TABLE t (id serial PRIMARY KEY, a integer, b bigint, c text, d boolean, e numeric(10,2),"
    " f double precision, g date, h timestamp, i bytea, j uuid, k jsonb)"
)
row = (
    1, 2**40, "é", True, decimal.Decimal("12.50"), 1.5, datetime.date(2024, 2, 29),
    datetime.datetime(2024, 2, 29, 1, 2, 3, 450000), b"\x00\xff",
    uuid.UUID("00112233-4455-6677-8899-aabbccddeeff"), psycopg.types.json.Jsonb({"x": [1]}),
)  # fmt: skip
insert = "INSERT INTO t(a, b, c, d, e, f, g, h, i, j, k) VALUES (" + ", ".join(["%s"] * 11) + ") RETURNING id"
assert db.execute(insert, row).fetchone() == (1,)
assert db.execute(insert.replace("%s", "%b"), row, prepare=True).fetchone() == (2,)
for binary in (False, True):
    for _ in range(8):  # psycopg prepares from the fifth time on
        found = db.cursor(binary=binary).execute("SELECT * FROM t WHERE id >= %s ORDER BY id", (1,)).fetchall()
    assert len(found) == 2
    for values in found:
        assert values[1:11] == row[:10], (binary, values)
        assert values[11] == {"x": [1]}
assert db.execute("SELECT count(*) FROM t WHERE a = ANY(%s)", ([1, 5],)).fetchone() == (2,)
assert db.cursor(row_factory=dict_row).execute("SELECT 1 AS x").fetchone() == {"x": 1}

# Transactions and errors.
try:
    db.execute("INSERT INTO t(id) VALUES (1)")
    raise AssertionError
except psycopg.errors.UniqueViolation as error:
    assert error.sqlstate == "23505"
try:
    db.execute("SELECT nope FROM t")
    raise AssertionError
except psycopg.errors.UndefinedColumn as error:
    assert error.diag.message_primary
with psycopg.connect(dsn) as other:
    other.execute("INSERT INTO t(a) VALUES (77)")
    try:
        with other.transaction():
            other.execute("INSERT INTO t(a) VALUES (78)")
            raise ValueError
    except ValueError:
        pass
assert db.execute("SELECT a FROM t WHERE a > 70").fetchall() == [(77,)]

# A cursor of the server, a pipeline, many rows.
with db.transaction(), db.cursor(name="c") as cursor:
    cursor.itersize = 10
    cursor.execute("SELECT g FROM generate_series(1, %s) AS g", (35,))
    assert [g for (g,) in cursor] == list(range(1, 36))
    cursor.scroll(-5)
    assert cursor.fetchone() == (32,)
with db.pipeline():
    cursors = [db.execute("SELECT %s::int", (i,)) for i in range(50)]
assert [cursor.fetchone()[0] for cursor in cursors] == list(range(50))
db.cursor().executemany("INSERT INTO t(a) VALUES (%s)", [(i,) for i in range(1000, 1100)])
assert db.execute("SELECT count(*) FROM t WHERE a >= 1000").fetchone() == (100,)

# COPY.
db.execute("CREATE TABLE IF NOT EXISTS copied (a integer, b text)")
db.execute("DELETE FROM copied")
with db.cursor().copy("COPY copied FROM STDIN") as copy:
    for i in range(5000):
        copy.write_row((i, "tab\tand\nline" if i % 2 else None))
with db.cursor().copy("COPY copied (a, b) FROM STDIN (FORMAT BINARY)") as copy:
    copy.set_types(["int4", "text"])
    copy.write_row((5000, "x"))
with db.cursor().copy("COPY (SELECT a, b FROM copied ORDER BY a) TO STDOUT") as copy:
    copy.set_types(["int4", "text"])
    rows = list(copy.rows())
assert len(rows) == 5001 and rows[1] == (1, "tab\tand\nline") and rows[5000] == (5000, "x")
with db.cursor().copy("COPY copied TO STDOUT (FORMAT BINARY)") as copy:
    copy.set_types(["int4", "text"])
    assert len(list(copy.rows())) == 5001
db.execute("DROP TABLE copied")

# Cancelling.
threading.Timer(0.3, db.cancel).start()
try:
    db.execute("WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c")
    raise AssertionError
except psycopg.errors.QueryCanceled:
    pass
assert db.execute("SELECT 1").fetchone() == (1,)
print("psycopg", psycopg.__version__, "passes")
