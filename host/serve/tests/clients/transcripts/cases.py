"""What both servers are sent: lists of steps, of which each is SQL or messages. A case begins with the same tables."""

from wire import SYNC, bind, close, describe, execute, message, parse

SETUP = [
    "CREATE TABLE t(id int PRIMARY KEY, a int, b text NOT NULL DEFAULT 'x', CHECK (a < 100))",
    "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)",
    "CREATE VIEW v AS SELECT id, a FROM t",
    "CREATE INDEX ti ON t(a)",
]
QUERY = "SELECT id FROM t ORDER BY id"


def run(sql, *rest):
    return [parse("", sql), bind("p", ""), *rest, SYNC]


PORTALS = [
    [run(QUERY, execute("p"), execute("p")), run(QUERY, *[execute("p", 2)] * 3, execute("p"))],
    [run("INSERT INTO t VALUES (9, 9)", execute("p"), execute("p")), "SELECT count(*) FROM t"],
    [run("INSERT INTO t VALUES (9, 9) RETURNING id", execute("p"), execute("p"))],
    [run("SET work_mem = 100", execute("p"), execute("p")), run("BEGIN", execute("p"), execute("p"))],
    [
        "BEGIN",
        f"DECLARE c CURSOR FOR {QUERY}",
        [describe("P", "c"), execute("c", 1), execute("c"), execute("c"), SYNC],
        "FETCH BACKWARD ALL FROM c",
        [execute("c", 2), SYNC],
        [close("P", "c"), SYNC],
        [execute("c"), SYNC],
        "ROLLBACK",
    ],
    [f"DECLARE c CURSOR WITH HOLD FOR {QUERY}", [parse("", "SELECT 1"), bind("c", ""), SYNC], "CLOSE c"],
    [[parse("", "SELECT 1"), bind("x", ""), bind("x", ""), SYNC], [bind("", ""), SYNC]],
    [[execute("nosuch"), SYNC], [describe("P", "nosuch"), SYNC], [describe("S", "nosuch"), SYNC]],
    [[bind("", "nosuch"), SYNC], [parse("a", "SELECT 1"), parse("a", "SELECT 2"), SYNC], "PREPARE a AS SELECT 3"],
    ["PREPARE q(int) AS SELECT $1", "EXECUTE q", "EXECUTE q(1, 2)", "EXECUTE nosuch", "EXECUTE q(7)"],
    [[parse("", "SELECT 1"), SYNC], "SELECT 2", [bind("", ""), SYNC]],
    [[parse("", "SELECT 1", [23, 25]), describe("S", ""), bind("", "", ["1", "x"]), execute(""), SYNC]],
]

TYPES = {
    "int2": 21,
    "int4": 23,
    "int8": 20,
    "float4": 700,
    "float8": 701,
    "bool": 16,
    "date": 1082,
    "timestamp": 1114,
    "interval": 1186,
    "uuid": 2950,
    "oid": 26,
}
BINARY = [b"", b"\1", b"\0\0", b"\0\0\1", b"\0" * 4, b"\0" * 5, b"\0" * 8, b"\0" * 9, b"\0" * 16, b"\0" * 17]
ARRAYS = [
    b"\0\0\0\1\0\0\0\0\0\0\0\x17\0\0\0\1\0\0\0\1\0\0\0\4\0\0\0\7",
    b"\0\0\0\1\0\0\0\0\0\0\0\x17\0\0\0\1\0\0\0\1\0\0\0\3\0\0\7",
    b"\0\0\0\1\0\0\0\0\0\0\0\x19\0\0\0\1\0\0\0\1\0\0\0\1x",
    b"\0\0\0\1\0\0\0\2",
    b"\0\0\0\0\0\0\0\0\0\0\0\x17",
    b"\xff\xff\xff\xff",
    b"\0\0\0\7",
]


def binary(name, oid, value):
    return [parse("", f"SELECT $1::{name}", [oid]), bind("", "", [value], [1]), execute(""), SYNC]


def formats(sql, values, given, results):
    return [parse("", sql), bind("", "", values, given, results), SYNC]


VALUES = [[binary(name, oid, value) for value in BINARY] for name, oid in TYPES.items()] + [
    [binary("int4[]", 1007, value) for value in ARRAYS],
    [
        formats("SELECT $1::int", ["1"], [2], []),
        formats("SELECT $1::int", ["1"], [-1], []),
        formats("SELECT $1::int", ["1"], [0, 0], []),
        formats("SELECT $1::int", ["1"], [], [0, 0]),
        formats("SELECT $1::int", [], [], []),
        formats("SELECT 1, 2", [], [1, 1], []),
        formats("SELECT 1, 2", [], [], [0, 1, 1]),
        formats("INSERT INTO t VALUES (5, 5)", [], [], [1, 1]),
    ],
]

TRANSACTIONS = [
    ['BEGIN; SAVEPOINT "A"', "ROLLBACK TO a", "ROLLBACK"],
    ['BEGIN; SAVEPOINT a; SAVEPOINT "A"; DELETE FROM t; ROLLBACK TO a', 'RELEASE "A"', "ROLLBACK"],
    ["BEGIN; SAVEPOINT a; RELEASE A; RELEASE a", "ROLLBACK", "RELEASE x", "ROLLBACK TO x", "SAVEPOINT x"],
    ["DELETE FROM t; VACUUM", "VACUUM; DELETE FROM t", "SELECT count(*) FROM t", "BEGIN", "VACUUM", "ROLLBACK"],
    ["BEGIN; CREATE INDEX CONCURRENTLY n ON t(a)", "ROLLBACK"],
    ["BEGIN", f"DECLARE c CURSOR WITH HOLD FOR {QUERY}", "FETCH c", "ROLLBACK", "FETCH c"],
    ["BEGIN", f"DECLARE c CURSOR WITH HOLD FOR {QUERY}", "COMMIT", "FETCH c", "BEGIN", "FETCH c", "ROLLBACK", "FETCH c"],
    ["BEGIN; SAVEPOINT s", f"DECLARE c CURSOR FOR {QUERY}", "ROLLBACK TO s", "FETCH c", "ROLLBACK"],
    ["BEGIN; SAVEPOINT s", f"DECLARE c CURSOR FOR {QUERY}", "RELEASE s", "FETCH c", "ROLLBACK"],
    ["BEGIN", f"DECLARE c CURSOR FOR {QUERY}", "SAVEPOINT s", "FETCH c", "ROLLBACK TO s", "FETCH c", "ROLLBACK"],
    ["BEGIN; SAVEPOINT s", run(QUERY, execute("p", 1)), "ROLLBACK TO s", [execute("p"), SYNC], "ROLLBACK"],
    ["BEGIN; SET my.two = 1", "ROLLBACK", "SHOW my.two", "SHOW my.nosuch", "SHOW nosuch"],
    ["SELECT $1", "DECLARE c CURSOR FOR SELECT $1", "COPY (SELECT $1) TO STDOUT", "CREATE VIEW w AS SELECT $1"],
    ["CREATE TABLE q(a int DEFAULT $1)", "CREATE INDEX i ON t((a + $1))", "CREATE TABLE q AS SELECT $1"],
]

OBJECTS = [
    ["DROP TABLE ti", "DROP TABLE v", "DROP VIEW t", "DROP VIEW ti", "DROP INDEX t", "DROP INDEX v"],
    ["DROP TABLE nosuch", "DROP VIEW nosuch", "DROP INDEX nosuch", "DROP TABLE v, nosuch", "DROP TABLE nosuch, v"],
    ["DROP TABLE IF EXISTS n1, n2", "DROP VIEW IF EXISTS n1", "DROP INDEX IF EXISTS n1"],
    ["DROP TABLE IF EXISTS v", "DROP VIEW IF EXISTS t", "DROP INDEX IF EXISTS t", "DROP TABLE IF EXISTS ti"],
    ["ALTER TABLE v ADD COLUMN x int", "ALTER TABLE ti ADD COLUMN x int", "ALTER TABLE v DROP COLUMN a"],
    ["ALTER TABLE IF EXISTS nosuch ADD COLUMN x int", "ALTER TABLE IF EXISTS nosuch RENAME TO y"],
    ["ALTER TABLE t ADD COLUMN IF NOT EXISTS a int", "ALTER TABLE t DROP COLUMN IF EXISTS nosuch"],
    ["TRUNCATE v", "TRUNCATE ti", "TRUNCATE nosuch", "CREATE INDEX n ON v(a)", "CREATE INDEX ti ON t(b)"],
    ["CREATE TABLE t(a int)", "CREATE TABLE v(a int)", "CREATE TABLE ti(a int)", "CREATE VIEW t AS SELECT 1"],
    ["CREATE VIEW ti AS SELECT 1", "CREATE INDEX t ON t(a)", "CREATE INDEX IF NOT EXISTS t ON t(a)"],
    ["CREATE TABLE IF NOT EXISTS t(a int)", "CREATE TABLE IF NOT EXISTS v(a int)", "CREATE TABLE IF NOT EXISTS ti(a int)"],
    ["CREATE OR REPLACE VIEW v AS SELECT id FROM t", "CREATE OR REPLACE VIEW v AS SELECT id, a, 1 AS c FROM t"],
    ["CREATE OR REPLACE VIEW v AS SELECT id, a AS z FROM t", "CREATE OR REPLACE VIEW v(q) AS SELECT id, a FROM t"],
    ["CREATE OR REPLACE VIEW v AS SELECT id::text, a FROM t", "CREATE OR REPLACE VIEW t AS SELECT 1", "SELECT * FROM v"],
    *[
        [f"BEGIN; DECLARE c CURSOR FOR SELECT * FROM {name}", sql, "ROLLBACK"]
        for name in ("t", "v")
        for sql in ("TRUNCATE t", "ALTER TABLE t ADD COLUMN z int", "CREATE INDEX n ON t(a)")
    ],
    ["BEGIN", run("SELECT * FROM t", execute("p", 1)), "TRUNCATE t", "ROLLBACK"],
    ["BEGIN; DECLARE c CURSOR FOR SELECT * FROM t; CLOSE c; TRUNCATE t; ROLLBACK"],
    ["CREATE TABLE q(x, \"Y y\") AS SELECT 1, 'a'::text, 2 AS z", "SELECT * FROM q", "CREATE TABLE q2(x, y) AS SELECT 1"],
    ["CREATE TEMP TABLE q(x) AS VALUES (1), (2)", "SELECT * FROM q", "CREATE TABLE q2(k) AS SELECT 1 WITH NO DATA"],
    ["SELECT id, a INTO q FROM t WHERE id > 1", "SELECT * FROM q", "SELECT 1 INTO t", "SELECT (SELECT 1 INTO n)"],
]

ROWS = [
    "INSERT INTO t VALUES (7, 7, NULL)",
    "INSERT INTO t(id, b) VALUES (7, NULL)",
    "UPDATE t SET b = NULL WHERE id = 2",
    "INSERT INTO t VALUES (NULL, 1)",
    "INSERT INTO t VALUES (8, 1), (9, 200), (10, 300)",
    "INSERT INTO t SELECT 8, 100 + id FROM t ORDER BY id",
    "UPDATE t SET a = 101 WHERE id = 2",
    "INSERT INTO t VALUES (5, 5), (5, 6) ON CONFLICT (id) DO UPDATE SET a = excluded.a",
    "INSERT INTO t SELECT 1, g FROM generate_series(1, 2) g ON CONFLICT (id) DO UPDATE SET a = excluded.a",
    "INSERT INTO t VALUES (1, 5), (2, 6) ON CONFLICT (id) DO UPDATE SET a = excluded.a",
    "INSERT INTO t VALUES (6, 5), (6, 6) ON CONFLICT (id) DO NOTHING",
    "SELECT * FROM t ORDER BY id",
    "CREATE TABLE q(a bigint, g int GENERATED ALWAYS AS (a * 2) STORED, d int DEFAULT 1.6)",
    "INSERT INTO q(a) VALUES (2000000000)",
    "INSERT INTO q(a) VALUES (1)",
    "UPDATE q SET a = 2000000000",
    "SELECT * FROM q",
]

COPIES = [
    ["COPY t TO STDOUT (FORMAT csv, FORCE_QUOTE (b))", "COPY t TO STDOUT WITH CSV FORCE QUOTE a"],
    ["COPY t TO STDOUT (FORMAT csv, FORCE_QUOTE (nosuch))", "COPY t TO STDOUT (FORCE_QUOTE (b))"],
    ["COPY t TO STDOUT (FORMAT csv, FORCE_NULL (b))", "COPY t FROM STDIN (FORMAT csv, FORCE_QUOTE (a))"],
    ["COPY t FROM STDIN (FORMAT csv, FORCE_NULL (nosuch))", "COPY t FROM STDIN (FORCE_NOT_NULL (b))"],
    ["COPY t FROM STDIN (FORMAT csv, FORCE_NULL (a))", [message("d", b'7,"",x\n'), message("c")], "SELECT * FROM t"],
    ["COPY t FROM STDIN (FORMAT csv, FORCE_NOT_NULL (b))", [message("d", b"7,1,\n"), message("c")], "SELECT * FROM t"],
]

CONDITIONS = [
    *[
        [f"COPY {copy} WHERE {condition}", [message("d", data), message("c")], "SELECT * FROM t ORDER BY id"]
        for copy, condition, data in [
            ("t FROM STDIN", "id > 5", b"4\t1\tx\n6\t2\ty\n7\t3\tz\n"),
            ("public.t (id) FROM STDIN (FORMAT csv)", "b = 'x' AND a IS NULL AND t.id % 2 = 0", b"7\n8\n"),
            ("t FROM STDIN CSV", "a::numeric / 4 > 0.3 OR b LIKE '%q'", b"7,1,a\n8,2,b\n9,1,Q\n10,,q\n"),
            ("t FROM STDIN", "id > 9", b"1\t200\tx\n"),
            ("t FROM STDIN", "id > 0", b"1\t1\tx\n"),
            ("t FROM STDIN", "null", b"7\t7\tx\n"),
            ("t FROM STDIN", "10 / a > 0", b"7\t0\tx\n"),
            ("t FROM STDIN", "id > 9", b"x\t0\tx\n"),
        ]
    ],
    *[
        [f"COPY t FROM STDIN WHERE {condition}"]
        for condition in ("z > 5", "x.id > 5", "id", "(SELECT true)", "generate_series(1, 2) = 1", "id = $1")
    ],
    ["COPY t TO STDOUT WHERE id > 1", "COPY (SELECT 1) TO STDOUT WHERE 1 = 1", "COPY t FROM STDIN WHERE id > 1 WITH CSV"],
]

CURSORS = "SELECT name, statement, is_holdable, is_binary, is_scrollable, creation_time > '2020-01-01' FROM pg_cursors ORDER BY 1"
STATEMENTS = (
    "SELECT name, statement, parameter_types::text, from_sql, generic_plans, custom_plans, prepare_time > '2020-01-01' "
    "FROM pg_prepared_statements ORDER BY 1"
)
SESSION = [
    [
        "BEGIN",
        "DECLARE c CURSOR FOR SELECT * FROM t",
        " DECLARE d NO SCROLL CURSOR WITH HOLD FOR SELECT id FROM t ORDER BY 1 ;",
        'DECLARE "E" BINARY CURSOR FOR SELECT a FROM t JOIN v USING (a)',
        "DECLARE f CURSOR FOR SELECT count(*) FROM t",
        "DECLARE g SCROLL CURSOR WITHOUT HOLD FOR SELECT 1 -- one",
        CURSORS,
        "CLOSE c",
        CURSORS,
        "COMMIT",
        CURSORS,
        "CLOSE ALL",
        CURSORS,
    ],
    [
        "PREPARE a AS SELECT 1",
        "PREPARE b(int, numeric) AS SELECT $1 + $2",
        "PREPARE c AS INSERT INTO t VALUES ($1, $2)",
        [parse("d", "SELECT $1::text || $2", [0, 25]), parse("", "SELECT 7"), SYNC],
        STATEMENTS,
        "EXECUTE a; EXECUTE b(1, 2); EXECUTE b(1, 2)",
        [bind("", "d", ["x", "y"]), execute(""), SYNC],
        STATEMENTS,
        *["EXECUTE b(3, 4)"] * 4,
        STATEMENTS,
        "DEALLOCATE b",
        STATEMENTS,
        "DEALLOCATE ALL",
        STATEMENTS,
    ],
    [run("SELECT name, statement, is_scrollable FROM pg_cursors", execute("p"))],
    ["SELECT * FROM pg_cursors", "SELECT count(*) FROM pg_catalog.pg_cursors JOIN pg_prepared_statements USING (name)"],
    *[
        ["BEGIN", f"DECLARE c {options} FOR {query}", *steps, "ROLLBACK"]
        for options, query, steps in [
            ("NO SCROLL CURSOR", QUERY, ["FETCH c", "FETCH BACKWARD 1 FROM c"]),
            ("NO SCROLL CURSOR", QUERY, ["FETCH FIRST FROM c", "FETCH ABSOLUTE 2 FROM c", "FETCH RELATIVE 1 FROM c"]),
            ("NO SCROLL CURSOR", QUERY, ["FETCH 2 FROM c", "FETCH ABSOLUTE 2 FROM c"]),
            ("NO SCROLL CURSOR", QUERY, ["FETCH 0 FROM c", "FETCH c", "MOVE 0 IN c", "FETCH 0 FROM c"]),
            ("NO SCROLL CURSOR", QUERY, ["MOVE LAST IN c"]),
            ("CURSOR", "SELECT t.id FROM t, v", ["FETCH 2 FROM c", "FETCH PRIOR FROM c"]),
            ("CURSOR", QUERY, ["FETCH 2 FROM c", "FETCH PRIOR FROM c", "FETCH LAST FROM c", "FETCH 0 FROM c"]),
            ("SCROLL CURSOR", "SELECT 1", ["FETCH 2 FROM c", "FETCH PRIOR FROM c"]),
            ("BINARY CURSOR", QUERY, ["FETCH 2 FROM c"]),
            ("SCROLL NO SCROLL CURSOR", QUERY, []),
            ("INSENSITIVE ASENSITIVE CURSOR", QUERY, []),
            ("SCROLL CURSOR", "SELECT * FROM t FOR UPDATE", []),
            ("INSENSITIVE CURSOR", "SELECT * FROM t FOR UPDATE", []),
            ("CURSOR WITH HOLD", "SELECT * FROM t FOR UPDATE", []),
            ("CURSOR BINARY", QUERY, []),
            ("NO CURSOR", QUERY, []),
        ]
    ],
]

MAINTAINED = [
    ["DROP INDEX t_pkey", "DROP INDEX IF EXISTS t_pkey", "DROP TABLE t_pkey", "DROP INDEX ti, t_pkey", "DROP INDEX ti"],
    ["CREATE TABLE t_pkey(a int)", "CREATE TABLE IF NOT EXISTS t_pkey(a int)"],
    ["CREATE TABLE IF NOT EXISTS t AS SELECT 1", "CREATE TABLE IF NOT EXISTS v AS SELECT 1 WITH NO DATA"],
    ["CREATE TABLE IF NOT EXISTS q AS SELECT 1 AS a", "CREATE TABLE IF NOT EXISTS q AS SELECT 1 AS a"],
    ["REINDEX TABLE t", "REINDEX INDEX t", "REINDEX TABLE ti", "REINDEX TABLE v", "REINDEX INDEX v", "REINDEX INDEX ti"],
    ["REINDEX INDEX t_pkey", "REINDEX TABLE nosuch", "REINDEX INDEX nosuch", "REINDEX SCHEMA nosuch", "REINDEX DATABASE nosuch"],
    ["CREATE TABLE q(a int)", "REINDEX TABLE q", "REINDEX (nosuch) TABLE q"],
    ["ANALYZE t", "ANALYZE ti", "ANALYZE v", "ANALYZE nosuch", "ANALYZE t(a)", "ANALYZE t(z)", "ANALYZE t(a, a)"],
    ["ANALYZE v, t", "ANALYZE t, nosuch", "ANALYZE (nosuch) t", "ANALYZE VERBOSE v"],
    ["VACUUM ti", "VACUUM v", "VACUUM nosuch", "VACUUM t(a)", "VACUUM ANALYZE t(a)", "VACUUM ANALYZE t(z)", "VACUUM (nosuch) t"],
    *[["BEGIN", sql, "ROLLBACK"] for sql in ("REINDEX SCHEMA public", "REINDEX TABLE CONCURRENTLY t", "REINDEX TABLE t", "ANALYZE t")],
]

LOCKED = [
    "SELECT * FROM t ORDER BY id FOR UPDATE OF nosuch",
    "SELECT * FROM t AS x ORDER BY id FOR UPDATE OF x",
    "SELECT * FROM t AS x FOR UPDATE OF t",
    "SELECT a FROM t FOR UPDATE OF public.t",
    "SELECT count(*) FROM t FOR UPDATE",
    "SELECT (SELECT count(*) FROM t) FROM t FOR UPDATE",
    "SELECT DISTINCT a FROM t FOR UPDATE",
    "SELECT a FROM t GROUP BY a FOR UPDATE",
    "SELECT a FROM t HAVING true FOR UPDATE",
    "SELECT row_number() OVER () FROM t FOR UPDATE",
    "SELECT generate_series(1, 2) FROM t FOR UPDATE",
    "VALUES (1) FOR UPDATE",
    "WITH w AS (SELECT * FROM t) SELECT * FROM w FOR UPDATE OF w",
    "SELECT * FROM generate_series(1, 2) g FOR UPDATE OF g",
    "SELECT * FROM t LEFT JOIN v ON v.id = t.id FOR UPDATE",
    "SELECT * FROM t LEFT JOIN v ON v.id = t.id ORDER BY 1 FOR UPDATE OF t",
    "SELECT * FROM t RIGHT JOIN v ON v.id = t.id FOR UPDATE OF t",
]

# Each with whether the texts of errors are compared, too.
ALL = [
    (PORTALS, True),
    (VALUES, False),
    (TRANSACTIONS, True),
    (OBJECTS, True),
    ([ROWS], True),
    (COPIES, True),
    (CONDITIONS, False),
    (SESSION, True),
    (MAINTAINED, True),
    ([[sql] for sql in LOCKED], True),
]
