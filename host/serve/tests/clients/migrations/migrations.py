"""Generated schemas, rows and migrations by PostgreSQL and by the server: the same rows, columns and constraints after each
statement, or the same SQLSTATE. What the server refuses with 0A000, PostgreSQL does not run; the share of it is bounded.

usage: migrations.py SERVER POSTGRESQL [--count 60] [--seed 7]     both are connection strings
"""

import argparse
import random
import sys

import psycopg

# The share of migrations that the server may refuse.
MAX_REFUSED = 0.25
MIGRATIONS = 8
TYPES = ["int", "bigint", "smallint", "text", "varchar(8)", "varchar(40)", "boolean", "numeric(8,2)", "date", "timestamp"]
VALUES = {
    "int": ["1", "2", "3", "70000", "NULL"],
    "bigint": ["1", "2", "5000000000", "NULL"],
    "smallint": ["1", "2", "3", "NULL"],
    "text": ["'a'", "'b'", "'7'", "'it''s'", "'a longer text'", "NULL"],
    "varchar(8)": ["'a'", "'12'", "'x y'", "NULL"],
    "varchar(40)": ["'a'", "'a much longer text'", "NULL"],
    "boolean": ["true", "false", "NULL"],
    "numeric(8,2)": ["1", "2.50", "-3.14", "NULL"],
    "date": ["'2026-01-31'", "'2024-02-29'", "NULL"],
    "timestamp": ["'2026-01-31 10:00:00'", "'2024-02-29 23:59:59.5'", "NULL"],
}
DEFAULTS = {name: [value for value in values if value != "NULL"] for name, values in VALUES.items()}


class Table:
    """A table as it was made, with the changes that both have done."""

    def __init__(self, name):
        self.name, self.columns, self.constraints = name, {}, []


class Case:
    """A schema with rows, and its migrations."""

    def __init__(self, random):
        self.random, self.tables, self.number, self.new = random, [], 0, []

    def name(self, kind):
        self.number += 1
        return self.random.choice([f"{kind}{self.number}", f'"{kind} {self.number}"'])

    def schema(self):
        for at in range(self.random.randint(1, 3)):
            table = Table(f"t{at}")
            key = self.random.choice(["serial", "bigserial", "int", "bigint"])
            parts = [f"id {key} PRIMARY KEY"]
            table.columns["id"] = {"serial": "int", "bigserial": "bigint"}.get(key, key)
            for number in range(self.random.randint(1, 5)):
                column, ty = f"c{number}", self.random.choice(TYPES)
                table.columns[column] = ty
                part = f"{column} {ty}"
                if self.random.random() < 0.3:
                    part += f" DEFAULT {self.random.choice(DEFAULTS[ty])}"
                if self.random.random() < 0.15:
                    part += " UNIQUE"
                if self.random.random() < 0.2 and ty == "int":
                    part += f" CHECK ({column} < 100000)"
                parts.append(part)
            if self.random.random() < 0.6:
                other = self.random.choice([*self.tables, table])
                ty = other.columns["id"]
                table.columns["ref"] = ty
                action = self.random.choice(
                    ["", " ON DELETE CASCADE", " ON DELETE SET NULL", " ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED"]
                )
                parts.append(f"ref {ty} REFERENCES {other.name}(id){action}")
            yield f"CREATE TABLE {table.name} ({', '.join(parts)})"
            self.tables.append(table)
            if self.random.random() < 0.4:
                column = self.random.choice(list(table.columns))
                yield self.random.choice(
                    [
                        f"CREATE INDEX {table.name}_i ON {table.name}({column})",
                        f"CREATE INDEX {table.name}_i ON {table.name}({column}) WHERE id > 1",
                    ]
                )
            yield from self.rows(table)

    def rows(self, table):
        for key in range(1, self.random.randint(2, 5)):
            values = [str(key)]
            for column, ty in list(table.columns.items())[1:]:
                values.append(self.random.choice(["1", "NULL"]) if column == "ref" else self.random.choice(VALUES[ty]))
            yield f"INSERT INTO {table.name} VALUES ({', '.join(values)})"

    def migrations(self):
        for _ in range(MIGRATIONS):
            table = self.random.choice(self.tables)
            kinds = ["check", "unique", "reference", "null", "default", "type", "drop", "add"]
            count = self.random.choice([1, 1, 1, 2])
            # PostgreSQL renames one thing at a time, and no change is of what the same statement has added.
            kinds, self.new = ([*kinds, "rename"] if count == 1 else kinds), []
            changes = [self.change(table, self.random.choice(kinds)) for _ in range(count)]
            table.constraints += self.new
            yield count, f"ALTER TABLE {table.name} " + ", ".join(changes)

    def change(self, table, kind):
        column = self.random.choice(list(table.columns))
        ty = table.columns[column]
        if kind == "check":
            condition = self.random.choice(
                [f"{column} IS NOT NULL", f"{column} IS NULL OR id > 0", "id > 1", f"length({column}::text) < 20"]
            )
            return self.named(table, "k") + f"CHECK ({condition})"
        if kind == "unique":
            others = self.random.sample(list(table.columns), k=min(len(table.columns), self.random.randint(1, 2)))
            return self.named(table, "u") + f"UNIQUE ({', '.join(others)})"
        if kind == "reference":
            other = self.random.choice(self.tables)
            action = self.random.choice(["", " ON DELETE CASCADE", " DEFERRABLE INITIALLY DEFERRED"])
            return self.named(table, "f") + f"FOREIGN KEY ({column}) REFERENCES {other.name}(id){action}"
        if kind == "null":
            return f"ALTER COLUMN {column} {self.random.choice(['SET', 'DROP'])} NOT NULL"
        if kind == "default":
            value = self.random.choice([None, *DEFAULTS[ty]])
            return f"ALTER COLUMN {column} DROP DEFAULT" if value is None else f"ALTER COLUMN {column} SET DEFAULT {value}"
        if kind == "type":
            wanted = self.random.choice(TYPES)
            using = self.random.choice(["", "", f" USING {column}::{wanted}", f" USING {column}::text::{wanted}"])
            return f"ALTER COLUMN {column} TYPE {wanted}{using}"
        if kind == "drop":
            names = [*table.constraints, f"{table.name}_{column}_key", f"{table.name}_ref_fkey", f"{table.name}_{column}_check", "nosuch"]
            return f"DROP CONSTRAINT {self.random.choice(['', 'IF EXISTS '])}{self.random.choice(names)}"
        if kind == "rename":
            names = [*table.constraints, f"{table.name}_{column}_check", f"{table.name}_ref_fkey"]
            new = self.name("n")
            self.new.append(new)
            return f"RENAME CONSTRAINT {self.random.choice(names)} TO {new}"
        self.number += 1
        new, wanted = f"a{self.number}", self.random.choice(TYPES)
        default = f" DEFAULT {self.random.choice(DEFAULTS[wanted])}" if self.random.random() < 0.6 else ""
        return f"ADD COLUMN {new} {wanted}{default}{self.random.choice(['', ' NOT NULL', ' UNIQUE'])}"

    def named(self, table, kind):
        if self.random.random() < 0.3:
            return "ADD "
        name = self.name(kind)
        self.new.append(name)
        return f"ADD CONSTRAINT {name} "


def run(connection, sql):
    try:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return None, cursor.fetchall() if cursor.description else None
    except psycopg.Error as error:
        return error.sqlstate, str(error).splitlines()[0]


COLUMNS = """SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull
FROM pg_attribute a WHERE a.attrelid = '{0}'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"""
CONSTRAINTS = "SELECT conname, contype FROM pg_constraint WHERE conrelid = '{0}'::regclass ORDER BY conname"


def state(connection, case):
    """All that must be the same."""
    found = []
    for table in case.tables:
        for sql in (COLUMNS, CONSTRAINTS):
            found.append(run(connection, sql.format(table.name)))
        columns = [name for name, *_ in found[-2][1]]
        # As text: the types are compared above.
        items = ", ".join(f"{name}::text" for name in columns)
        found.append(run(connection, f"SELECT {items} FROM {table.name} ORDER BY id"))
    return found


def note_columns(connection, case):
    for table in case.tables:
        _, rows = run(connection, COLUMNS.format(table.name))
        simple = {
            "integer": "int",
            "character varying(8)": "varchar(8)",
            "character varying(40)": "varchar(40)",
            "timestamp without time zone": "timestamp",
        }
        table.columns = {name: simple.get(ty, ty) for name, ty, _ in rows if simple.get(ty, ty) in VALUES}


def drop(connection):
    """Tables that refer to each other go in no order, so their foreign keys go first."""
    keys = "SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE contype = 'f'"
    for table, name in run(connection, keys)[1]:
        run(connection, f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
    for table in ("t2", "t1", "t0"):
        run(connection, f"DROP TABLE IF EXISTS {table}")


class Counts:
    ran = refused = different = failed = 0


def compare(case, server, postgres, counts, seed):
    for connection in (server, postgres):
        drop(connection)
    for sql in case.schema():
        ours = run(server, sql)
        theirs = run(postgres, sql)
        if ours[0] != theirs[0]:
            counts.different += 1
            return print(f"seed {seed}: {sql}\n  ours {ours}\n  PostgreSQL {theirs}")
    for count, sql in case.migrations():
        before = state(server, case)
        ours = run(server, sql)
        counts.ran += 1
        if ours[0] == "0A000":
            counts.refused += 1
            if state(server, case) != before:
                counts.different += 1
                return print(f"seed {seed}: refused, and changed something: {sql}")
            continue
        theirs = run(postgres, sql)
        counts.failed += ours[0] is not None
        # Of several changes that fail any may be the first.
        fails = count > 1 and None not in (ours[0], theirs[0])
        same = (fails or ours[0] == theirs[0]) and state(server, case) == state(postgres, case)
        damaged = [run(server, check) for check in ("PRAGMA integrity_check", "PRAGMA foreign_key_check")]
        if not same or damaged != [(None, [("ok",)]), (None, [])]:
            counts.different += 1
            print(f"seed {seed}: {sql}\n  ours {ours}\n  PostgreSQL {theirs}\n  checks {damaged}")
            for one, other in zip(state(server, case), state(postgres, case)):
                if one != other:
                    print(f"  ours       {one}\n  PostgreSQL {other}")
            return None
        note_columns(postgres, case)
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("postgres")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    counts = Counts()
    with psycopg.connect(arguments.server, autocommit=True) as server, psycopg.connect(arguments.postgres, autocommit=True) as postgres:
        for at in range(arguments.count):
            seed = arguments.seed * 1_000_003 + at
            compare(Case(random.Random(seed)), server, postgres, counts, seed)
        for connection in (server, postgres):
            drop(connection)
    print(
        f"{arguments.count} schemas, {counts.ran} migrations: {counts.refused} refused, {counts.failed} failed in both, {counts.different} different"
    )
    sys.exit(counts.different > 0 or counts.refused > MAX_REFUSED * counts.ran)


if __name__ == "__main__":
    main()
