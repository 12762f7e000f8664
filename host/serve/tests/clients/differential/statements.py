"""Random statements: queries, and writes that are undone."""

import firsts
import functions
import places
from expressions import Expressions, columns_of
from values import COLUMNS

AGGREGATES = [
    ("count(*)", None), ("count({0})", "any"), ("count(DISTINCT {0})", "any"), ("sum({0})", "int4"), ("sum({0})", "int8"), ("sum({0})", "numeric"), ("sum({0})", "float8"),
    ("avg({0})", "int4"), ("avg({0})", "numeric"), ("min({0})", "any"), ("max({0})", "any"), ("bool_and({0})", "bool"), ("bool_or({0})", "bool"),
    ("string_agg({0}, ',' ORDER BY {0})", "text"), ("array_agg({0} ORDER BY {0})", "int4"), ("sum({0}) FILTER (WHERE {1})", "numeric"), ("count(*) FILTER (WHERE {1})", "bool"),
    ("jsonb_agg({0} ORDER BY {0})", "int4"), ("min({0})", "date"), ("max({0})", "timestamp"), ("avg({0})", "float8"), ("round(stddev({0}), 3)", "numeric"),
]  # fmt: skip

WINDOWS = ["row_number() OVER (ORDER BY {k})", "rank() OVER (ORDER BY {0})", "sum({n}) OVER (ORDER BY {k})", "lag({0}) OVER (ORDER BY {k})",
           "count(*) OVER (PARTITION BY {b})", "first_value({0}) OVER (ORDER BY {k})", "ntile(2) OVER (ORDER BY {k})", "avg({n}) OVER (PARTITION BY {b})"]  # fmt: skip

# Whole queries: {0} to {2} are of one type, {b} is a condition, and {f} of an aggregate.
QUERIES = [
    "SELECT DISTINCT ON (b.tid) b.tid, {0} FROM u b ORDER BY b.tid, b.id", "SELECT DISTINCT {0} FROM u b", "SELECT {0} FROM u b ORDER BY b.id FETCH FIRST 2 ROWS ONLY", "SELECT {0} FROM u b ORDER BY b.id OFFSET 1 ROWS FETCH NEXT 1 ROW ONLY",
    "SELECT b.tid, {f} FROM u b GROUP BY b.tid HAVING count(*) > 1", "SELECT b.tid, {f} FROM u b GROUP BY ROLLUP (b.tid)", "SELECT b.id, s.c FROM u b, LATERAL (SELECT count(*) AS c FROM t a WHERE a.id = b.tid) s", "SELECT b.id, s.* FROM u b CROSS JOIN LATERAL (SELECT a.x FROM t a WHERE a.id = b.tid) s",
    "SELECT FROM u b WHERE {b}", "SELECT FROM t a WHERE {c} UNION ALL SELECT FROM u b", "SELECT a.id FROM t a WHERE EXISTS (SELECT FROM u b WHERE b.tid = a.id AND {b})", "SELECT ((SELECT {1}) UNION (SELECT {1}))",
    "SELECT b.id FROM u b WHERE NOT EXISTS (SELECT 1 FROM t a WHERE a.id = b.tid AND a.k)", "SELECT b.id, (SELECT a.x FROM t a WHERE a.id = b.tid) FROM u b", "SELECT b.id, (SELECT a.x FROM t a WHERE a.s = b.tid ORDER BY a.id LIMIT 1) FROM u b", "SELECT b.id, (SELECT a.x FROM t a WHERE a.id >= b.tid) FROM u b", "SELECT b.id FROM u b NATURAL JOIN (SELECT 1 AS id) q",
    "SELECT id, tid FROM u JOIN (SELECT 1 AS tid) q USING (tid)", "SELECT q.a, count(*) FROM (SELECT {0} AS a FROM u b) q GROUP BY q.a", "SELECT {0} AS e FROM u b ORDER BY e NULLS FIRST, b.id", "SELECT {0} AS e, count(*) FROM u b GROUP BY e", "VALUES ({1}, 1), ({2}, 2)", "SELECT * FROM (VALUES (1, {1}), (2, {2})) AS v(i, e) ORDER BY i",
    "SELECT {1} UNION SELECT {2} UNION ALL SELECT {1}", "SELECT {1} INTERSECT ALL SELECT {2}", "(SELECT {1} AS e) UNION ALL (SELECT {2}) ORDER BY 1", "SELECT {1} EXCEPT SELECT {2}", "WITH c(e) AS (VALUES ({1}), ({2})) SELECT e, count(*) FROM c GROUP BY e", "WITH c AS MATERIALIZED (SELECT {0} AS e FROM u b) SELECT * FROM c WHERE e IS NOT NULL",
    "WITH RECURSIVE r(n, s) AS (SELECT 1, 'a' UNION ALL SELECT n + 1, s || 'b' FROM r WHERE n < 4) SELECT * FROM r", "WITH d AS (DELETE FROM u WHERE id = 4 RETURNING id) SELECT * FROM d", "INSERT INTO t(id, x) SELECT id + 200, {1}::text FROM u RETURNING id, x", "INSERT INTO t(id, n) VALUES (300, 1), (301, 2) RETURNING id, n * 2",
    "UPDATE t SET x = u.id::text FROM u WHERE u.tid = t.id AND u.id > 1 RETURNING t.id, t.x", "UPDATE t SET (s, x) = (7, 'z') WHERE id = 1 RETURNING s, x", "UPDATE t SET b = (SELECT max(id) FROM u) WHERE id < 3 RETURNING id, b", "DELETE FROM u USING t WHERE t.id = u.tid AND t.k RETURNING u.id", "INSERT INTO w(id, x) VALUES (1, 'first') ON CONFLICT (x) DO UPDATE SET x = EXCLUDED.x || '!' RETURNING id, x",
    "INSERT INTO t(id, n) VALUES (1, 9) ON CONFLICT (id) DO UPDATE SET n = t.n + EXCLUDED.n WHERE t.n < 5 RETURNING n", "SELECT count(*), sum(g) FROM generate_series(1, 10, 3) AS g", "SELECT g FROM generate_series(1.0, 2.0, 0.5) AS g", "SELECT g::date FROM generate_series(date '2024-01-30', date '2024-03-01', interval '1 week') AS g", "SELECT t.id, e FROM t, unnest(ARRAY[1, 2]) AS e WHERE t.id < 3",
    "SELECT w.id, e FROM w, unnest(w.a) AS e", "SELECT w.id, e FROM w CROSS JOIN LATERAL jsonb_array_elements(w.q -> 'b') AS e", "SELECT unnest(w.l), w.id FROM w", "SELECT a.*, b.id FROM t a JOIN u b ON b.tid = a.id", "SELECT t FROM t WHERE id = 1", "SELECT (t).x FROM t WHERE id = 1", "SELECT row_to_json(b) FROM u b WHERE id = 3", "SELECT to_jsonb(a) FROM t a WHERE id < 3",
    "SELECT count(*) FROM t WHERE (id, s) IN ((1, 1), (3, 3))", "SELECT id FROM t WHERE x = ANY(ARRAY['abc', 'Hello'])", "SELECT id FROM t WHERE id = ANY(SELECT tid FROM u)", "SELECT id FROM t WHERE id <> ALL(SELECT tid FROM u WHERE tid IS NOT NULL)", "SELECT id FROM t WHERE n > ANY(SELECT p FROM t)", "SELECT id FROM t WHERE n >= ALL(SELECT n FROM t WHERE n IS NOT NULL)",
    "SELECT CASE WHEN {b} THEN {0} ELSE {1} END FROM u b ORDER BY b.id", "SELECT sum(a.n) OVER w, rank() OVER w FROM t a WINDOW w AS (ORDER BY a.id)", "SELECT max(a.id) FROM t a WHERE {c}", "SELECT x, count(*) FROM t GROUP BY x ORDER BY count(*) DESC, x LIMIT 2", "SELECT k, array_agg(id ORDER BY id) FROM t GROUP BY k", "SELECT (SELECT id FROM t)", "SELECT (SELECT id FROM t WHERE id = 1), (SELECT max(n) FROM t)",
    # Types that come from inner queries.
    "SELECT q.*, q.e IS NULL FROM (SELECT b.id, {0} AS e FROM u b) q ORDER BY q.id", "WITH c AS (SELECT b.id, {0} AS e, {1} AS o FROM u b) SELECT c.* FROM c ORDER BY c.id", "SELECT v.* FROM (VALUES (1, {1}), (2, {2})) v",
    "SELECT * FROM u NATURAL JOIN (SELECT b.id, {0} AS e FROM u b) q ORDER BY id", "SELECT q.* FROM t a LEFT JOIN (SELECT b.tid, {0} AS e FROM u b) q ON q.tid = a.id", "SELECT e FROM (SELECT {0} AS e FROM u b UNION ALL SELECT {1}) q",
    "SELECT e FROM (SELECT p AS e FROM t UNION ALL SELECT 3.14159) q WHERE e > 2", "SELECT e, count(*) FROM (SELECT {1} AS e UNION ALL SELECT NULL UNION ALL SELECT {1}) q GROUP BY e", "SELECT NULL UNION ALL SELECT {0} FROM u b", "SELECT {0} IN (SELECT {1}) FROM u b",
    "SELECT count(DISTINCT e) FROM (VALUES ({0}), ({1}), ({2})) q(e)", "WITH RECURSIVE r(n, e) AS (VALUES (1, {1}) UNION ALL SELECT n + 1, e FROM r WHERE n < 3) SELECT * FROM r", "SELECT (SELECT max(e) FROM unnest(w.a) e) + 1 FROM w ORDER BY id", "SELECT a.id, (SELECT a.n + b.id FROM u b WHERE b.id = 1) FROM t a ORDER BY 1",
    "WITH q AS (SELECT 400 AS i, {1} AS e) INSERT INTO t(id, x) SELECT i, e FROM q RETURNING id, x", "WITH q AS (SELECT 400 AS i, {1} AS e) INSERT INTO t(id, b) SELECT i, e FROM q RETURNING id, b", "INSERT INTO t(id, s) SELECT 400, e FROM (SELECT {1} AS e) q RETURNING s", "INSERT INTO u(id, d) SELECT 400, {1} UNION ALL SELECT 401, {2} RETURNING d",
    "WITH q AS (SELECT 1 AS i, {1} AS e) UPDATE t SET x = q.e::text FROM q WHERE q.i = t.id RETURNING t.id, t.n * 2", "WITH q AS (SELECT 2 AS i) DELETE FROM u WHERE id = (SELECT i FROM q) RETURNING id, z",
]  # fmt: skip

# Statements that make something, and the query of it.
MADE = [
    ("CREATE VIEW made AS SELECT b.id, {0} AS e FROM u b", "SELECT *, e IS NULL FROM made ORDER BY id"), ("CREATE VIEW made AS SELECT b.id, {0} AS e FROM u b", "SELECT e, count(*) FROM made GROUP BY e"), ("CREATE VIEW made AS SELECT b.id, {0} AS e FROM u b", "SELECT count(DISTINCT e), count(e) FROM made"),
    ("CREATE VIEW made AS SELECT b.id, {0} AS e FROM u b", "SELECT id FROM made WHERE e = {1}"), ("CREATE VIEW made AS SELECT b.id, {0} AS e FROM u b", "SELECT id FROM made WHERE e IN ({1}, {2})"), ("CREATE VIEW made AS WITH c AS (SELECT {1} AS e UNION ALL SELECT {2}) SELECT e FROM c", "SELECT * FROM made"),
    ("CREATE TABLE made AS SELECT b.id, {0} AS e FROM u b", "SELECT *, e IS NULL FROM made ORDER BY id"), ("CREATE TABLE made AS SELECT b.id, {0} AS e FROM u b", "SELECT id FROM made WHERE e = {1}"), ("CREATE TABLE made AS SELECT * FROM (VALUES (1, {1}), (2, {2})) v(i, e)", "SELECT e FROM made ORDER BY i"),
]  # fmt: skip


class Statements:
    def __init__(self, random):
        self.random = random

    def next(self):
        """(SQL, whether the order of its rows is fixed, the forms in it)."""
        kinds = [self.plain] * 6 + [self.table] * 4 + [self.whole] * 3 + [self.joined, self.grouped, self.grouped, self.windowed, self.set, self.common,
                                                      self.made, self.subquery, self.rows_of_functions, self.insert, self.update, self.delete, self.wrong, self.placed, self.placed, self.first]  # fmt: skip
        kind = self.random.choice(kinds)
        self.source = Expressions(self.random)
        self.source.used.append(kind.__name__)
        sql, is_ordered = kind()
        return sql, is_ordered, self.source.used

    def expression(self, columns=None, depth=2, kind=None):
        return self.source.of(kind or self.source.any(), depth, columns or {})

    def plain(self):
        return "SELECT " + ", ".join(self.expression(depth=3) for _ in range(self.random.choice([1, 1, 2]))), True

    def scope(self, alias=None):
        table = self.random.choice(list(COLUMNS))
        return table, columns_of(table, alias or table)

    def table(self):
        table, columns = self.scope()
        shown = ", ".join(self.expression(columns) for _ in range(self.random.choice([1, 2])))
        sql = f"SELECT {shown} FROM {table} WHERE {self.expression(columns, kind='bool')}"
        return self.ordered(sql, columns, table)

    def ordered(self, sql, columns, table):
        roll = self.random.random()
        if roll < 0.4:
            return f"{sql} ORDER BY {table}.id", True
        if roll < 0.7:
            key = self.expression(columns, depth=1, kind=self.random.choice(["int4", "numeric", "text", "date", "float8"]))
            way = self.random.choice(["", " DESC", " NULLS FIRST", " DESC NULLS LAST"])
            end = self.random.choice(["", " LIMIT 3", " LIMIT 2 OFFSET 1"])
            return f"{sql} ORDER BY {key}{way}, {table}.id{end}", True
        return sql, False

    def joined(self):
        join = self.random.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
        columns = columns_of("t", "a") | columns_of("u", "b")
        shown = ", ".join(self.expression(columns) for _ in range(2))
        return f"SELECT {shown} FROM t a {join} u b ON a.id = b.tid WHERE {self.expression(columns, 1, 'bool')}", False

    def aggregate(self, columns):
        form, kind = self.random.choice(AGGREGATES + functions.AGGREGATES)
        self.source.used.append(form)
        kind = self.random.choice(["int4", "numeric", "text", "date", "float8"]) if kind == "any" else kind
        return form.format(self.expression(columns, 1, kind) if kind else "", self.expression(columns, 1, "bool"))

    def whole(self):
        form = self.random.choice(QUERIES)
        self.source.used.append(form)
        kind = self.source.any()
        sql = form.format(
            *(self.expression(columns_of("u", "b") if index == 0 else None, 1, kind) for index in range(3)),
            b=self.expression(columns_of("u", "b"), 1, "bool"),
            c=self.expression(columns_of("t", "a"), 2, "bool"),
            f=self.aggregate(columns_of("u", "b")),
        )
        return sql, "ORDER BY" in form[form.rfind(")") :]

    def placed(self):
        form = self.random.choice(places.TAKEN if self.random.random() < 0.6 else places.REFUSED)
        self.source.used.append(form)
        kinds = {
            "i": "int4",
            "l": "int8",
            "n": "numeric",
            "f": "float8",
            "x": "text",
            "d": "interval",
            "q": "jsonb",
            "b": "bool",
            "v": None,
        }
        values = {name: self.expression(None, 1, kind) for name, kind in kinds.items()}
        return form.format(**values, s=self.random.choice([0, 1, 2])), "ORDER BY" in form[form.rfind(")") :]

    def first(self):
        form = self.random.choice(firsts.FORMS)
        self.source.used.append(form)
        kind = self.source.any()
        values = [self.expression(columns_of("u", "b") if index == 0 else None, 1, kind) for index in range(2)]
        return form.format(*values), True

    def made(self):
        parts = self.random.choice(MADE)
        self.source.used.append("; ".join(parts))
        kind = self.source.any()
        values = [self.expression(columns_of("u", "b") if index == 0 else None, 1, kind) for index in range(3)]
        return "; ".join(part.format(*values) for part in parts), "ORDER BY" in parts[1]

    def grouped(self):
        table, columns = self.scope()
        aggregates = ", ".join(self.aggregate(columns) for _ in range(self.random.choice([1, 2])))
        if self.random.random() < 0.3:
            return f"SELECT {aggregates} FROM {table}", True
        key = self.expression(columns, 1, self.random.choice(["bool", "int4", "text", "numeric", "date"]))
        having = f" HAVING {self.aggregate(columns)} IS NOT NULL" if self.random.random() < 0.2 else ""
        extra = f", {self.random.choice(list(columns))}" if self.random.random() < 0.05 else ""
        by = self.random.choice(["1", "1", key])
        return f"SELECT {key}, {aggregates}{extra} FROM {table} GROUP BY {by}{having}", False

    def windowed(self):
        table, columns = self.scope()
        form = self.random.choice(WINDOWS + functions.WINDOWS)
        self.source.used.append(form)
        window = form.format(
            self.expression(columns, 1), k=f"{table}.id", n=self.expression(columns, 1, "numeric"), b=self.expression(columns, 1, "bool")
        )
        named = ""
        before, over, within = window.partition(" OVER (")
        if over and self.random.random() < 0.3:
            window, named = f"{before} OVER w", f" WINDOW w AS ({within}"
        return f"SELECT {table}.id, {window} FROM {table}{named} ORDER BY 1", True

    def set(self):
        kind = self.source.any()
        kind = "int4" if kind in ("json",) else kind
        operator = self.random.choice(["UNION", "UNION ALL", "INTERSECT", "EXCEPT"])
        table, columns = self.scope()
        return f"SELECT {self.expression(columns, 2, kind)} FROM {table} {operator} SELECT {self.expression(None, 2, kind)}", False

    def common(self):
        if self.random.random() < 0.3:
            return (
                f"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n, {self.expression({'n': 'int4'})} FROM r ORDER BY n",
                True,
            )
        table, columns = self.scope()
        kind = self.source.any()
        outer = self.expression({"c.e": kind, "c.id": "int4"})
        return (
            f"WITH c AS (SELECT {table}.id, {self.expression(columns, 2, kind)} AS e FROM {table}) SELECT {outer} FROM c ORDER BY c.id",
            True,
        )

    def subquery(self):
        table, columns = self.scope()
        kind = self.random.choice(["int4", "text", "numeric"])
        inner, theirs = self.scope("i")
        form = self.random.choice(
            [
                "EXISTS (SELECT 1 FROM {inner} i WHERE {condition})",
                "{own} IN (SELECT {theirs} FROM {inner} i)",
                "(SELECT max({theirs}) FROM {inner} i) = {own}",
                "{own} > ALL (SELECT {theirs} FROM {inner} i WHERE {condition})",
            ]
        )
        self.source.used.append(form)
        condition = form.format(
            inner=inner,
            own=self.expression(columns, 1, kind),
            theirs=self.expression(theirs, 1, kind),
            condition=self.expression(columns | theirs, 1, "bool"),
        )
        return f"SELECT {table}.id FROM {table} WHERE {condition} ORDER BY 1", True

    def rows_of_functions(self):
        form = self.random.choice(["generate_series(1, {0}) AS g(v)", "unnest({1}) AS g(v)", "unnest({2}) WITH ORDINALITY AS g(v, o)", "jsonb_array_elements_text('[1, \"a\", null]'::jsonb) AS g(v)",
                                   "unnest({1}, {2}) AS g(v, o)", "generate_series(date '2024-01-30', date '2024-03-01', interval '1 month') AS g(v)", "jsonb_each_text({3}) AS g(v, o)",
                                   "(VALUES ({0}, {4}), (2, NULL)) AS g(v, o)", "regexp_split_to_table('a b c', ' ') AS g(v)", "jsonb_object_keys({3}) AS g(v)"])  # fmt: skip
        self.source.used.append(form)
        source = form.format(
            self.random.choice([0, 3, 5]),
            self.expression(None, 1, "int4[]"),
            self.expression(None, 1, "text[]"),
            '\'{"a": 1, "b": "x"}\'::jsonb',
            self.expression(None, 1, "text"),
        )
        return f"SELECT * FROM {source}", False

    def assignment(self, table):
        name = self.random.choice([name for name in COLUMNS[table] if name != "id"])
        kind = COLUMNS[table][name]
        if self.random.random() < 0.1:
            return name, self.random.choice(["DEFAULT", "NULL", "'x'", "'12'", "1e3", "true"])
        return name, self.expression(None, 2, kind)

    def insert(self):
        table = self.random.choice(list(COLUMNS))
        key = self.random.choice([100, 101, 1, 2])
        name, value = self.assignment(table)
        conflict = self.random.choice(["", "", f" ON CONFLICT (id) DO UPDATE SET {name} = EXCLUDED.{name}", " ON CONFLICT DO NOTHING"])
        return f"INSERT INTO {table}(id, {name}) VALUES ({key}, {value}){conflict} RETURNING *", False

    def update(self):
        table, columns = self.scope()
        name, value = self.assignment(table)
        if self.random.random() < 0.5 and value != "DEFAULT":
            value = self.expression(columns, 2, COLUMNS[table][name])
        return f"UPDATE {table} SET {name} = {value} WHERE {self.expression(columns, 1, 'bool')} RETURNING *", False

    def delete(self):
        table, columns = self.scope()
        return f"DELETE FROM {table} WHERE {self.expression(columns, 2, 'bool')} RETURNING {table}.id", False

    def wrong(self):
        """What PostgreSQL refuses, most of the time."""
        table, _ = self.scope()
        name = self.random.choice(list(COLUMNS[table]))
        form = self.random.choice([
            "SELECT {table}.nope FROM {table}", "SELECT * FROM nope", "SELECT nope({value})", "SELECT {name}, count(*) FROM {table}", "SELECT {value} / 0",
            "SELECT {name} FROM {table} GROUP BY id + 1", "SELECT {value} FROM {table} WHERE {name}", "SELECT 1 WHERE {value}", "SELECT sum(count(*)) FROM {table}",
            "SELECT count(*) FROM {table} WHERE count(*) > 1", "INSERT INTO {table}(id) VALUES (1)", "INSERT INTO {table}(id, nope) VALUES (1, 2)", "INSERT INTO {table} VALUES (1)",
            "SELECT {value} UNION SELECT {other}", "SELECT CASE WHEN {value} THEN 1 END", "SELECT {value} LIKE 5", "SELECT 'x'::int", "SELECT '{{1'::int[]", "SELECT 'nope'::bool", "SELECT '{{'::jsonb",
            "SELECT 2147483647 + {small}", "SELECT 9223372036854775807 + {small}", "SELECT 300000::smallint", "SELECT {value} + {other}", "SELECT {value} = {other}", "SELECT {value} || {other}",
            "SELECT t.id FROM t, u WHERE id = 1", "SELECT '2024-02-30'::date", "SELECT '25:00'::time", "SELECT 12345678.999::numeric(5,2)", "SELECT id FROM t LIMIT -1", "UPDATE {table} SET id = NULL",
            "SELECT * FROM {table} ORDER BY 99", "SELECT DISTINCT id FROM {table} ORDER BY {name}", "INSERT INTO u(id, tid) VALUES (50, 999)", "SELECT {value} IN (SELECT {name}, 1 FROM {table})",
            "SELECT substring('abc' from 1 for -1)", "SELECT sqrt(-1)", "SELECT ln(0)", "SELECT chr(0)", "SELECT (SELECT id FROM t)", "SELECT {name}[1] FROM {table}", "SELECT {value}::{kind}"])  # fmt: skip
        self.source.used.append(form)
        sql = form.format(
            table=table,
            name=name,
            value=self.expression(None, 1),
            other=self.expression(None, 1),
            small=self.random.choice([0, 1, 5]),
            kind=self.random.choice(["int", "text", "bool", "date", "jsonb", "numeric(3,1)", "int[]", "uuid", "interval"]),
        )
        return sql, False
