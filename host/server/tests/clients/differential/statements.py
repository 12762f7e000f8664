"""Random statements: queries, and writes that are undone."""

from expressions import Expressions, columns_of
from values import COLUMNS

AGGREGATES = [
    ("count(*)", None), ("count({0})", "any"), ("count(DISTINCT {0})", "any"), ("sum({0})", "int4"), ("sum({0})", "int8"), ("sum({0})", "numeric"), ("sum({0})", "float8"),
    ("avg({0})", "int4"), ("avg({0})", "numeric"), ("min({0})", "any"), ("max({0})", "any"), ("bool_and({0})", "bool"), ("bool_or({0})", "bool"),
    ("string_agg({0}, ',' ORDER BY {0})", "text"), ("array_agg({0} ORDER BY {0})", "int4"), ("sum({0}) FILTER (WHERE {1})", "numeric"), ("count(*) FILTER (WHERE {1})", "bool"),
    ("jsonb_agg({0} ORDER BY {0})", "int4"), ("min({0})", "date"), ("max({0})", "timestamp"), ("avg({0})", "float8"), ("round(stddev({0}), 3)", "numeric"),
]

WINDOWS = ["row_number() OVER (ORDER BY {k})", "rank() OVER (ORDER BY {0})", "sum({n}) OVER (ORDER BY {k})", "lag({0}) OVER (ORDER BY {k})",
           "count(*) OVER (PARTITION BY {b})", "first_value({0}) OVER (ORDER BY {k})", "ntile(2) OVER (ORDER BY {k})", "avg({n}) OVER (PARTITION BY {b})"]


class Statements:
    def __init__(self, random):
        self.random = random

    def next(self):
        """(SQL, whether the order of its rows is fixed, the forms in it)."""
        kinds = [self.plain] * 5 + [self.table] * 4 + [self.joined, self.grouped, self.grouped, self.windowed, self.set, self.common,
                                                      self.subquery, self.rows_of_functions, self.insert, self.update, self.delete, self.wrong]
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
        form, kind = self.random.choice(AGGREGATES)
        self.source.used.append(form)
        kind = self.random.choice(["int4", "numeric", "text", "date", "float8"]) if kind == "any" else kind
        return form.format(self.expression(columns, 1, kind) if kind else "", self.expression(columns, 1, "bool"))

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
        form = self.random.choice(WINDOWS)
        self.source.used.append(form)
        window = form.format(self.expression(columns, 1), k=f"{table}.id", n=self.expression(columns, 1, "numeric"), b=self.expression(columns, 1, "bool"))
        return f"SELECT {table}.id, {window} FROM {table} ORDER BY 1", True

    def set(self):
        kind = self.source.any()
        kind = "int4" if kind in ("json",) else kind
        operator = self.random.choice(["UNION", "UNION ALL", "INTERSECT", "EXCEPT"])
        table, columns = self.scope()
        return f"SELECT {self.expression(columns, 2, kind)} FROM {table} {operator} SELECT {self.expression(None, 2, kind)}", False

    def common(self):
        if self.random.random() < 0.3:
            return f"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n, {self.expression({'n': 'int4'})} FROM r ORDER BY n", True
        table, columns = self.scope()
        kind = self.source.any()
        outer = self.expression({"c.e": kind, "c.id": "int4"})
        return f"WITH c AS (SELECT {table}.id, {self.expression(columns, 2, kind)} AS e FROM {table}) SELECT {outer} FROM c ORDER BY c.id", True

    def subquery(self):
        table, columns = self.scope()
        kind = self.random.choice(["int4", "text", "numeric"])
        inner, theirs = self.scope("i")
        form = self.random.choice(["EXISTS (SELECT 1 FROM {inner} i WHERE {condition})", "{own} IN (SELECT {theirs} FROM {inner} i)",
                                   "(SELECT max({theirs}) FROM {inner} i) = {own}", "{own} > ALL (SELECT {theirs} FROM {inner} i WHERE {condition})"])
        self.source.used.append(form)
        condition = form.format(inner=inner, own=self.expression(columns, 1, kind), theirs=self.expression(theirs, 1, kind),
                                condition=self.expression(columns | theirs, 1, "bool"))
        return f"SELECT {table}.id FROM {table} WHERE {condition} ORDER BY 1", True

    def rows_of_functions(self):
        form = self.random.choice(["generate_series(1, {0}) AS g(v)", "unnest({1}) AS g(v)", "unnest({2}) WITH ORDINALITY AS g(v, o)", "jsonb_array_elements_text('[1, \"a\", null]'::jsonb) AS g(v)",
                                   "unnest({1}, {2}) AS g(v, o)", "generate_series(date '2024-01-30', date '2024-03-01', interval '1 month') AS g(v)", "jsonb_each_text({3}) AS g(v, o)",
                                   "(VALUES ({0}, {4}), (2, NULL)) AS g(v, o)", "regexp_split_to_table('a b c', ' ') AS g(v)", "jsonb_object_keys({3}) AS g(v)"])
        self.source.used.append(form)
        source = form.format(self.random.choice([0, 3, 5]), self.expression(None, 1, "int4[]"), self.expression(None, 1, "text[]"),
                             "'{\"a\": 1, \"b\": \"x\"}'::jsonb", self.expression(None, 1, "text"))
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
        table, columns = self.scope()
        name = self.random.choice(list(COLUMNS[table]))
        form = self.random.choice([
            "SELECT {table}.nope FROM {table}", "SELECT * FROM nope", "SELECT nope({value})", "SELECT {name}, count(*) FROM {table}", "SELECT {value} / 0",
            "SELECT {name} FROM {table} GROUP BY id + 1", "SELECT {value} FROM {table} WHERE {name}", "SELECT 1 WHERE {value}", "SELECT sum(count(*)) FROM {table}",
            "SELECT count(*) FROM {table} WHERE count(*) > 1", "INSERT INTO {table}(id) VALUES (1)", "INSERT INTO {table}(id, nope) VALUES (1, 2)", "INSERT INTO {table} VALUES (1)",
            "SELECT {value} UNION SELECT {other}", "SELECT CASE WHEN {value} THEN 1 END", "SELECT {value} LIKE 5", "SELECT 'x'::int", "SELECT '{{1'::int[]", "SELECT 'nope'::bool", "SELECT '{{'::jsonb",
            "SELECT 2147483647 + {small}", "SELECT 9223372036854775807 + {small}", "SELECT 300000::smallint", "SELECT {value} + {other}", "SELECT {value} = {other}", "SELECT {value} || {other}",
            "SELECT t.id FROM t, u WHERE id = 1", "SELECT '2024-02-30'::date", "SELECT '25:00'::time", "SELECT 12345678.999::numeric(5,2)", "SELECT id FROM t LIMIT -1", "UPDATE {table} SET id = NULL",
            "SELECT * FROM {table} ORDER BY 99", "SELECT DISTINCT id FROM {table} ORDER BY {name}", "INSERT INTO u(id, tid) VALUES (50, 999)", "SELECT {value} IN (SELECT {name}, 1 FROM {table})",
            "SELECT substring('abc' from 1 for -1)", "SELECT sqrt(-1)", "SELECT ln(0)", "SELECT chr(0)", "SELECT (SELECT id FROM t)", "SELECT {name}[1] FROM {table}", "SELECT {value}::{kind}"])
        self.source.used.append(form)
        sql = form.format(table=table, name=name, value=self.expression(None, 1), other=self.expression(None, 1), small=self.random.choice([0, 1, 5]),
                          kind=self.random.choice(["int", "text", "bool", "date", "jsonb", "numeric(3,1)", "int[]", "uuid", "interval"]))
        return sql, False
