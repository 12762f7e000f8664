"""The functions of `pg_proc`: those of PostgreSQL that the server can call, with PostgreSQL's own rows.

usage: known_functions.py SERVER POSTGRESQL [--write FILE]     both are connection strings

Without --write the rows of the server are compared with those; with it, FILE becomes what the catalogue's extension has of them
(extensions/pgcatalog/src/rows/functions.txt): the name, then for each overload its OID, the OID of its result, those of its
arguments, and letters: kind, volatility, `t` for strict, `s` for a set, `v` for a VARIADIC last argument; behind `|`
the arguments as PostgreSQL shows them, where they have names.
"""

import argparse
import pathlib
import sys

import psycopg

ROWS = """SELECT oid, proname, prokind::text, provolatile::text, proisstrict, proretset, provariadic, pronargs, prorettype,
    proargtypes::text, pg_get_function_arguments(oid), pg_get_function_result(oid)
    FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace ORDER BY proname, oid"""
# A value of the types that stand for others.
VALUES = {
    "any": "1",
    "anyelement": "1",
    "anynonarray": "1",
    "anycompatible": "1",
    "anycompatiblenonarray": "1",
    "anyarray": "'{1}'::int[]",
    "anycompatiblearray": "'{1}'::int[]",
}
# What the server does not know, and what it refuses.
ABSENT = {"42883", "0A000", "42601", "42P01", "42704"}


def sqlstate(connection, sql):
    try:
        connection.execute(sql)
    except psycopg.Error as error:
        return error.sqlstate
    return None


def callable_functions(server, postgres):
    """The rows of PostgreSQL whose function the server runs."""
    known = {oid for (oid,) in server.execute("SELECT oid FROM pg_type WHERE typtype = 'b'")}
    names = dict(postgres.execute("SELECT oid, typname FROM pg_type"))
    spelled = dict(postgres.execute("SELECT oid, format_type(oid, NULL) FROM pg_type"))
    result = {*known, *(oid for oid, name in names.items() if name in VALUES or name in ("record", "void"))}
    for row in postgres.execute(ROWS).fetchall():
        arguments = [int(oid) for oid in row[9].split()]
        if row[2] == "p" or row[8] not in result or not all(oid in known or names[oid] in VALUES for oid in arguments):
            continue
        if row[6]:
            arguments[-1] = row[6]
        values = [VALUES.get(names[oid]) or f"NULL::{spelled[oid]}" for oid in arguments]
        # Functions with PostgreSQL's own syntax are called by it.
        call = f"{row[1]}({', '.join(values)})"
        over = " OVER ()" if row[2] == "w" else ""
        if {sqlstate(server, f"SELECT {call}{over}"), sqlstate(server, f"SELECT * FROM {call}")} - ABSENT:
            yield row


def written(rows, spelled):
    lines = {}
    for oid, name, kind, volatility, strict, is_set, variadic, _, result, types, arguments, _ in rows:
        letters = kind + volatility + "t" * strict + "s" * is_set + "v" * (variadic != 0)
        plain = [spelled[int(one)] for one in types.split()]
        if variadic:
            plain[-1] = f"VARIADIC {plain[-1]}"
        named = "" if arguments == ", ".join(plain) else f"|{arguments}"
        lines.setdefault(name, []).append(f"{oid} {result} {types.replace(' ', ',')} {letters}{named}")
    return "".join("\t".join([name, *overloads]) + "\n" for name, overloads in lines.items())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("postgres")
    parser.add_argument("--write")
    arguments = parser.parse_args()
    with psycopg.connect(arguments.server, autocommit=True) as server, psycopg.connect(arguments.postgres, autocommit=True) as postgres:
        wanted = list(callable_functions(server, postgres))
        if arguments.write:
            spelled = dict(postgres.execute("SELECT oid, format_type(oid, NULL) FROM pg_type"))
            pathlib.Path(arguments.write).write_text(written(wanted, spelled), encoding="utf-8")
            return
        wrong = compare(wanted, server, postgres)
    print(f"{len(wanted)} functions, {wrong} different")
    sys.exit(wrong > 0)


def compare(wanted, server, postgres):
    """Each row of the server is PostgreSQL's, and none is missing that it can call."""
    theirs = {row[0]: row for row in postgres.execute(ROWS)}
    ours = {row[0]: row for row in server.execute(ROWS)}
    wrong = [(row, theirs.get(oid)) for oid, row in ours.items() if row != theirs.get(oid)]
    wrong += [(None, row) for row in wanted if row[0] not in ours]
    for one, other in wrong:
        print(f"ours {one}\n  PostgreSQL {other}")
    return len(wrong)


if __name__ == "__main__":
    main()
