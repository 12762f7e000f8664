"""Hostile schemas: what pg_dump writes of them runs nothing in PostgreSQL but the definitions that the server shows.

SQLite makes them, with names, types, expressions, comments and triggers that would end their statement there, and clients of
the server make comments, defaults, conditions and names, which PostgreSQL must then have as they were written.

usage: attacks.py SERVER POSTGRESQL FILE [--count 300] [--seed 7]     the file is that of the server
"""

import argparse
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

import psycopg

ROWS = "SELECT relname, attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE relkind = 'r' AND attnum > 0"
OURS = f"{ROWS} AND relnamespace = 'public'::regnamespace AND NOT attisdropped"
# The share of statements that SQLite must take; with less it is not an attack.
MIN_MADE = 0.5
HARM = "DROP TABLE canary; CREATE TABLE pwned()"
SHELL = "\\! touch {file}"
BREAKS = [
    "1); {harm}; --",
    "1)); {harm}; --",
    "1; {harm}; SELECT 1",
    "1, pwned int",
    "1 UNIQUE, pwned int",
    "1), CHECK (true), pwned int CHECK (true",
    "E'a'\n'b\\'' ; {harm}; -- '",
    "E'a' /* */\n'b\\'' ; {harm}; -- '",
    "'\\' ; {harm}; --'",
    "$x$ $x$; {harm}; --",
    "$x$ $y$; {harm}; --",
    "/* /* */ 1",
    "1 /* /* ",
    "*/ ; {harm}; /*",
    "1 -- {harm}\r; {harm}; --",
    "\n{shell}\n",
    "\\gexec\n{shell}\n",
    ":LAST_ERROR_MESSAGE",
    '1 :: text COLLATE "C" ; {harm}',
    "U&'\\0027; {harm}; --'",
    "'a'; {harm}; --",
    '"a"; {harm}; --',
    "\u2028; {harm}",
    "(SELECT 1); {harm}",
    "1\n;\n{harm}\n;",
    "1 /* ; {harm} */",
    "[1; {harm}]",
    "`1; {harm}`",
]
NAMES = [
    "\n{shell}\n",
    '"; {harm}; --',
    "'; {harm}; --",
    "*/ {harm}; /*",
    "\\",
    "$x$",
    "a\r\n{harm};",
    "\n\\.\n{harm};\n",
    "%s%n",
    "é; {harm}",
]
TEXTS = [*NAMES, "it''s", "\\'; {harm}; --", "$$; {harm}; $$", "\\\\"]


def hashed(text):
    """As components/shared/postgres-types/src/comments.rs."""
    found = 0x811C9DC5
    for byte in text.strip().encode():
        found = (found ^ byte) * 0x01000193 & 0xFFFFFFFF
    return found


def named(name):
    return '"' + name.replace('"', '""') + '"'


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def commented(text):
    return text.replace("\\", "\\\\").replace("*", "\\a")


class Schema:
    """The statements of a hostile table, and of a good one behind it."""

    def __init__(self, random, at, file):
        self.random, self.at = random, f"t{at:04}"
        self.words = {"harm": HARM, "shell": SHELL.format(file=file)}

    def of(self, parts):
        # Braces are only those of the words.
        text = self.random.choice(parts)
        for name, word in self.words.items():
            text = text.replace(f"{{{name}}}", word)
        return text

    def expression(self, plain):
        """An expression whose text is hostile, or with a comment that says that a client has sent a hostile one."""
        broken = self.of(BREAKS)
        kind = self.random.randrange(4)
        if kind == 0:
            return broken
        if kind == 1:
            return f"{plain} /* {broken} */"
        return f"/* SQL {hashed(plain):08x}: {commented(broken)} */ {plain}"

    def name(self, kind):
        return named(f"{self.at}{kind}{self.of(NAMES) if self.random.random() < 0.5 else ''}")

    def statements(self):
        table = self.name("a")
        ty = self.random.choice(["int", "text", named(f"int); {HARM}; --"), "[text, pwned int]"])
        yield f"CREATE TABLE {table}(a int, b {ty})"
        for kind in self.random.sample(["default", "check", "made", "index", "where", "view", "trigger", "key", "comment"], k=3):
            yield from getattr(self, kind)(self.name(f"b_{kind}"), table)
        yield f"CREATE TABLE {self.at}z_good(a int DEFAULT 5, b text CHECK (b <> ''))"

    def default(self, name, _):
        yield f"CREATE TABLE {name}(a int DEFAULT ({self.expression('1')}), c int)"
        yield f'CREATE TABLE {name[:-1]}2"(a int DEFAULT {quoted(self.of(TEXTS))}, c int)'

    def check(self, name, _):
        yield f"CREATE TABLE {name}(a int, b int, CONSTRAINT {self.name('k')} CHECK ({self.expression('a > 0')}))"

    def made(self, name, _):
        yield f"CREATE TABLE {name}(a int, b int AS ({self.expression('a + 1')}) STORED)"

    def index(self, name, table):
        yield f"CREATE INDEX {name} ON {table}({self.expression('a + 1')})"

    def where(self, name, table):
        yield f"CREATE INDEX {name} ON {table}(a) WHERE {self.expression('a > 1')}"

    def view(self, name, _):
        yield f"CREATE VIEW {name} AS {self.expression('SELECT 1 AS x')}"
        yield f'CREATE VIEW {name[:-1]}2" AS SELECT {self.expression("1")} AS x'

    def trigger(self, name, table):
        yield f"CREATE TRIGGER {name} AFTER INSERT ON {table} BEGIN DELETE FROM canary; INSERT INTO canary VALUES (666); END"

    def key(self, name, table):
        yield f"CREATE TABLE {name}({self.name('c')} int REFERENCES {table} ON DELETE CASCADE, UNIQUE({self.name('c')}))"

    def comment(self, name, _):
        comment = f"/* COMMENT: {commented(self.of(TEXTS))} */"
        yield f"CREATE TABLE {name}({comment} a int {comment}, b int /* COMMENT: {self.of(BREAKS)} */)"


def attack(file, count, seed, canary):
    """Make hostile schemas in SQLite's own words. Returns the share of statements that it took."""
    made = total = 0
    with sqlite3.connect(file, isolation_level=None) as database:
        # Triggers name it.
        database.execute("CREATE TABLE canary(a int)")
        for at in range(count):
            for sql in Schema(random.Random(seed * 1_000_003 + at), at, canary).statements():
                total += 1
                try:
                    database.execute(sql)
                    made += 1
                except sqlite3.Error:
                    # SQLite does not take the statement.
                    continue
        database.execute("DROP TABLE canary")
    return made / total


def texts(server, canary):
    """Hostile texts by a client, whose meaning PostgreSQL must have: comments, defaults, conditions, names."""
    for at, text in enumerate(TEXTS):
        text = text.replace("{harm}", HARM).replace("{shell}", SHELL.format(file=canary)).replace("\r", "")
        # The server refuses names with a quote or a backslash in what it rewrites.
        part = text[:20].replace('"', "").replace("\\", "")
        table, column, check = named(f"x{at} {part}"), named(f"c {part}"), named(f"k{at} {part}")
        literal = quoted(text)
        server.execute(
            f"CREATE TABLE {table}({column} text DEFAULT {literal} CONSTRAINT {check} CHECK ({column} IN ({literal}, 'other')), id serial PRIMARY KEY)"
        )
        server.execute(f"COMMENT ON TABLE {table} IS {literal}")
        server.execute(f"COMMENT ON COLUMN {table}.{column} IS {literal}")
        server.execute(f"CREATE INDEX {named(f'i{at} {part}')} ON {table}({column}) WHERE {column} <> {literal}")
        server.execute(f"CREATE VIEW {named(f'v{at} {part}')} AS SELECT {column}, {literal}::text AS said FROM {table}")
        yield table, text


def restore(dump, connection):
    # As bytes: a name may have a carriage return.
    done = subprocess.run(["psql", "-X", "-q", connection], input=dump, capture_output=True, timeout=600, check=False)
    return done.stderr.decode()


def check_texts(postgres, made):
    for table, text in made:
        row = f"INSERT INTO {table} DEFAULT VALUES RETURNING *"
        (said, _) = postgres.execute(row).fetchone()
        comments = f"SELECT obj_description({quoted(table)}::regclass), col_description({quoted(table)}::regclass, 1)"
        found = [said, *postgres.execute(comments).fetchone()]
        assert found == [text] * 3, (table, found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("postgres")
    parser.add_argument("file")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    directory = pathlib.Path(tempfile.mkdtemp())
    canary = directory / "touched"
    here = f"{arguments.postgres} dbname=attacked"
    with psycopg.connect(arguments.postgres, autocommit=True) as postgres:
        postgres.execute("CREATE DATABASE attacked TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
    with psycopg.connect(arguments.server, autocommit=True) as server, psycopg.connect(here, autocommit=True) as postgres:
        made = list(texts(server, canary))
        share = attack(arguments.file, arguments.count, arguments.seed, canary)
        postgres.execute("CREATE TABLE canary(a int); INSERT INTO canary VALUES (1)")
        done = subprocess.run(["pg_dump", "--schema-only", "--no-owner", arguments.server], capture_output=True, check=True)
        said = restore(done.stdout, here)
        assert not canary.exists(), "a command of the shell ran"
        assert postgres.execute("SELECT * FROM canary").fetchall() == [(1,)]
        shown, restored = set(server.execute(OURS).fetchall()), set(postgres.execute(OURS).fetchall()) - {("canary", "a")}
        unknown = restored - shown
        assert not unknown, f"PostgreSQL has what the server does not show: {sorted(unknown)[:5]}"
        good = {(name, column) for name, column in shown if name.endswith("z_good")}
        assert len(good) == 2 * arguments.count and good <= restored, sorted(good - restored)[:5]
        check_texts(postgres, made)
    directory.rmdir()
    refused = said.count("ERROR:")
    print(
        f"{arguments.count} hostile schemas, {share:.0%} of their statements made; {refused} statements refused by PostgreSQL, none harmful"
    )
    sys.exit(share < MIN_MADE)


if __name__ == "__main__":
    main()
