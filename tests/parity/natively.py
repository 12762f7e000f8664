#!/usr/bin/env python3
"""The native side of scripts whose extension is compared with a library of Python.

    tests/parity/natively.py LIBRARY DATABASE < SCRIPT

It prints rows as the shell does. `LIBRARY` is a file of tests/parity/python, which registers functions and tables by
the names of ours; SQLite is that of the wheel of apsw. The wheels are in target/c-sources/python."""

import importlib
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "python"), str(HERE.parent.parent / "target/c-sources/python")]

import apsw  # noqa: E402

Value = None | int | float | str | bytes


def written(database: apsw.Connection, value: Value) -> str:
    """A value as the shell writes it."""
    if value is None:
        return ""
    if isinstance(value, float):
        return str(database.execute("SELECT CAST(? AS TEXT)", (value,)).get)
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


def main() -> None:
    """Run the script; an error ends it."""
    library, path = sys.argv[1:]
    database = apsw.Connection(path)
    importlib.import_module(library).register(database)
    for row in database.execute(sys.stdin.read()):
        print("|".join(written(database, value) for value in row))


if __name__ == "__main__":
    main()
