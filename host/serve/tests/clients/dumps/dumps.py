"""Generated schemas by PostgreSQL and by the server: pg_dump of the server restores into PostgreSQL, whose catalogue then is
the same, and psql describes each of them alike. A difference is a failure unless expected.txt has it with the reason.

usage: dumps.py SERVER POSTGRESQL [--count 20] [--seed 7]     both are connection strings; POSTGRESQL of a superuser
"""

import argparse
import difflib
import pathlib
import random
import re
import subprocess
import sys

import psycopg
from schemas import Schema

# The share of statements that the server may refuse.
MAX_REFUSED = 0.1
CATALOGUE = {
    "column": """SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated,
        pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum), a.attnum
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v') AND a.attnum > 0 AND NOT a.attisdropped""",
    "constraint": """SELECT conrelid::regclass::text, conname, contype, pg_get_constraintdef(oid), condeferrable, condeferred
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace""",
    "index": """SELECT indrelid::regclass::text, indexrelid::regclass::text, pg_get_indexdef(indexrelid), indisunique
        FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE c.relnamespace = 'public'::regnamespace""",
    "view": "SELECT viewname, viewname, definition FROM pg_views WHERE schemaname = 'public'",
    "sequence": """SELECT d.refobjid::regclass::text, s.seqrelid::regclass::text, format_type(s.seqtypid, NULL), s.seqstart, s.seqincrement,
        s.seqmax, s.seqmin, s.seqcycle, d.refobjsubid, d.deptype
        FROM pg_sequence s JOIN pg_depend d ON d.objid = s.seqrelid AND d.deptype IN ('a', 'i') AND d.refclassid = 'pg_class'::regclass""",
    "comment": """SELECT relname, relname, obj_description(oid, 'pg_class') FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v') AND obj_description(oid, 'pg_class') IS NOT NULL""",
}
DESCRIBED = ["\\d", "\\d+"]
LISTS = [
    *("\\dt", "\\di", "\\dv", "\\ds", "\\dn", "\\dT", "\\df", "\\da", "\\dp", "\\dt+", "\\di+", "\\dn+", "\\du", "\\dx", "\\dy"),
    *("\\d nosuch", "\\dt s*_t*", "\\d s*_t1", "\\dd", "\\dD", "\\dC nosuch", "\\dew", "\\dF nosuch", "\\dRp", "\\l generated"),
    *(
        "\\df abs",
        "\\df json_each",
        "\\df concat_ws",
        "\\df jsonb_set",
        "\\df int4in",
        "\\da sum",
        "\\da string_agg",
        "\\dTS int4",
        "\\dTS any",
    ),
]
# Between what psql shows of two commands.
BETWEEN = "=" * 20
# What PostgreSQL deparses the server shows as it was written; that both mean the same shows the dump.
EXPRESSIONS = [
    (re.compile(r"predicate \(.*\)"), "predicate ()"),
    (re.compile(r"CHECK \(.*\)"), "CHECK ()"),
    (re.compile(r"generated always as \(.*\) stored"), "generated always as () stored"),
    (re.compile(r"btree \(.*\(.*?\)( DESC)?\)(?= WHERE|$)", re.M), "btree ()"),
    (re.compile(r" WHERE .*"), " WHERE"),
    (re.compile(r"View definition:.*", re.S), "View definition:"),
    # An expression of an index.
    (re.compile(r"^(.*\|yes\|)[^|]*\(.*?\)", re.M), r"\1"),
    # The server does not know how much a table has of its file.
    (re.compile(r"\|\d+ (bytes|kB)"), "| bytes"),
]


def expected():
    """Pairs of a kind with a pattern, and the patterns that were of use."""
    lines = pathlib.Path(__file__).with_name("expected.txt").read_text(encoding="utf-8").splitlines()
    rules = [line.rsplit("  # ", 1)[0].split(" ", 1) for line in lines if line and not line.startswith("#")]
    return [(kind, re.compile(pattern, re.S)) for kind, pattern in rules]


class Found:
    """The differences; those that are known are counted only."""

    def __init__(self):
        self.rules, self.known, self.unknown = expected(), 0, 0

    def add(self, kind, text):
        if any(kind == own and pattern.search(text) for own, pattern in self.rules):
            self.known += 1
        else:
            self.unknown += 1
            print(f"{kind} {text}")


def run(connection, sql):
    try:
        connection.execute(sql)
    except psycopg.Error as error:
        return error.sqlstate
    return None


def make(server, postgres, count, seed, found):
    """The statements that both have run, and the share that the server has refused."""
    done, refused = [], 0
    for at in range(count):
        for sql in Schema(random.Random(seed * 1_000_003 + at), f"s{at}").statements():
            ours = run(server, sql)
            if ours == "0A000":
                refused += 1
                continue
            theirs = run(postgres, sql)
            if ours != theirs:
                found.add("state", f"{sql}\n  ours {ours}\n  PostgreSQL {theirs}")
                # Both go on with what both have.
                if theirs is None and (made := re.match(r'CREATE (TABLE|VIEW) ("[^"]*"|\w+)', sql)):
                    run(postgres, f"DROP {made[1]} {made[2]} CASCADE")
            elif ours is None:
                done.append(sql)
    return done, refused


def command(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=600, check=False, **options)


def dump(connection):
    done = command("pg_dump", "--schema-only", "--no-owner", connection)
    if done.returncode:
        sys.exit(f"pg_dump: {done.stderr}")
    return done.stdout


def catalogue(connection, kind):
    return {(row[0], row[1]): row[2:] for row in connection.execute(CATALOGUE[kind]).fetchall()}


def compare(made, restored, found):
    for kind in CATALOGUE:
        ours, theirs = catalogue(restored, kind), catalogue(made, kind)
        for name in sorted(ours.keys() | theirs.keys()):
            if ours.get(name) != theirs.get(name):
                found.add(kind, f"{name}\n  ours {ours.get(name)}\n  PostgreSQL {theirs.get(name)}")


def described(connection, commands):
    """What psql shows for each of them."""
    script = "".join(f"\\echo {BETWEEN}\n{what}\n" for what in commands)
    done = subprocess.run(
        ["psql", "-X", "-A", "-P", "pager=off", connection],
        input=script,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=True,
    )
    for text in done.stdout.split(f"{BETWEEN}\n")[1:]:
        for pattern, plain in EXPRESSIONS:
            text = pattern.sub(plain, text)
        yield re.sub(r"psql:<stdin>:\d+: ", "", text).rstrip().splitlines()


def describe(server, postgres, names, found):
    commands = LISTS + [f"{letter} {name}" for name in names for letter in DESCRIBED]
    both = zip(commands, described(server, commands), described(postgres, commands), strict=True)
    for what, ours, theirs in both:
        if ours != theirs:
            lines = difflib.unified_diff(theirs, ours, lineterm="", n=0)
            changed = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
            found.add("psql", "\n".join([what, *changed]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("postgres")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--keep", help="a file for the dump")
    arguments = parser.parse_args()
    found = Found()
    # The last of several names of a database counts.
    here = {name: f"{arguments.postgres} dbname={name}" for name in ("generated", "restored")}
    with psycopg.connect(arguments.postgres, autocommit=True) as postgres:
        for name in here:
            postgres.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
    with psycopg.connect(arguments.server, autocommit=True) as server, psycopg.connect(here["generated"], autocommit=True) as postgres:
        done, refused = make(server, postgres, arguments.count, arguments.seed, found)
        text = dump(arguments.server)
        if arguments.keep:
            pathlib.Path(arguments.keep).write_text(text, encoding="utf-8")
        restoring = command("psql", "-X", "-q", "-v", "ON_ERROR_STOP=0", here["restored"], input=text)
        for error in restoring.stderr.splitlines():
            if "ERROR" in error:
                found.add("restore", error)
        with psycopg.connect(here["restored"], autocommit=True) as restored:
            compare(postgres, restored, found)
        names = "SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY relname"
        describe(arguments.server, here["generated"], [name for (name,) in postgres.execute(names)], found)
    total = len(done) + refused
    print(f"{arguments.count} schemas, {total} statements: {refused} refused, {found.known} known differences, {found.unknown} unknown")
    sys.exit(found.unknown > 0 or refused > MAX_REFUSED * total)


if __name__ == "__main__":
    main()
