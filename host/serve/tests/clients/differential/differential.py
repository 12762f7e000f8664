"""Generated statements, by PostgreSQL and by `serve`: the same rows, or the same SQLSTATE.

    differential.py OURS THEIRS [--count N] [--seed N] [--show KIND]

OURS and THEIRS are connection strings. A statement that both accept with different rows, or that only
ours accepts, is a failure unless `expected.txt` has it with the reason."""

import argparse
import random
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import psycopg
from psycopg.pq import ExecStatus
from statements import Statements
from values import SETUP

ROWS = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)
EXAMPLES = 3


class Server:
    def __init__(self, address):
        self.connection = psycopg.connect(address, autocommit=True)
        self.run("SET TimeZone = 'UTC'; SET intervalstyle = postgres; SET extra_float_digits = 1; SET statement_timeout = '4s'")

    def run(self, sql):
        """(rows as texts, None), or (None, SQLSTATE)."""
        result = self.connection.pgconn.exec_(sql.encode())
        if result.status not in ROWS:
            return None, (result.error_field(psycopg.pq.DiagnosticField.SQLSTATE) or b"?").decode()
        rows = [tuple(result.get_value(row, column) for column in range(result.nfields)) for row in range(result.ntuples)]
        return rows, None

    def message(self, sql):
        result = self.connection.pgconn.exec_(sql.encode())
        return (result.error_field(psycopg.pq.DiagnosticField.MESSAGE_PRIMARY) or b"").decode("utf8", "replace")

    def undone(self, sql):
        self.run("BEGIN")
        outcome = self.run(sql)
        self.run("ROLLBACK")
        return outcome


# A column of numeric without a scale is stored as an integer or real, which has no zeros at its
# end.
UNSCALED = re.compile(r"\b[ta]\.n\b|\bn\) VALUES|\bSET n\b|RETURNING \*")
ZEROS = re.compile(rb"(\.\d*?)0+$")


def without_zeros(rows):
    return [tuple(value and ZEROS.sub(rb"\1", value).removesuffix(b".") for value in row) for row in rows]


def bag(rows):
    return sorted(rows, key=repr)


def kind_of(sql, ours, theirs, is_ordered):
    (our_rows, our_error), (their_rows, their_error) = ours, theirs
    if their_error is None:
        if our_error is None:
            if UNSCALED.search(sql):
                our_rows, their_rows = without_zeros(our_rows), without_zeros(their_rows)
            is_equal = our_rows == their_rows if is_ordered else bag(our_rows) == bag(their_rows)
            return "equal" if is_equal else "DIFFERENT"
        return "refused" if our_error == "0A000" else "error"
    if our_error is None:
        # PostgreSQL computes constants that no row needs.
        return "unevaluated" if not our_rows and their_error.startswith("22") else "ACCEPTED"
    return "equal error" if our_error == their_error else "refused error" if our_error == "0A000" else "other error"


def expected():
    """Pairs of a kind and the regular expression of its statements."""
    lines = (Path(__file__).parent / "expected.txt").read_text().splitlines()
    entries = (line.split("  # ")[0].strip().split(" ", 1) for line in lines if line and not line.startswith("#"))
    return [(kind, re.compile(pattern)) for kind, pattern in entries]


def report(counts, forms, examples, show):
    accepted = sum(counts[kind] for kind in ("equal", "DIFFERENT", "refused", "error"))
    refused = sum(counts[kind] for kind in ("equal error", "refused error", "other error", "unevaluated", "ACCEPTED"))
    print(
        f"accepted by PostgreSQL: {accepted}; equal {counts['equal']} ({counts['equal'] / max(accepted, 1):.1%}), different {counts['DIFFERENT']}, "
        f"0A000 {counts['refused']}, other errors {counts['error']}"
    )
    print(
        f"refused by PostgreSQL: {refused}; the same SQLSTATE {counts['equal error']}, 0A000 {counts['refused error']}, another one {counts['other error']}, "
        f"no rows, for which nothing was computed, {counts['unevaluated']}, "
        f"accepted by ours {counts['ACCEPTED']} ({counts['ACCEPTED'] / max(refused, 1):.2%})"
    )
    for kind in show:
        print(f"\n{kind}:")
        for form, number in Counter({form: kinds[kind] for form, kinds in forms.items() if kinds[kind]}).most_common():
            total = sum(forms[form].values())
            print(f"  {number} of {total}: {form}")
            for sql, ours, theirs in sorted(examples[kind, form], key=lambda example: len(example[0]))[:EXAMPLES]:
                print(f"      {sql}\n        ours {ours}\n        theirs {theirs}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("ours")
    options.add_argument("theirs")
    options.add_argument("--count", type=int, default=1000)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--show", action="append", default=["DIFFERENT", "ACCEPTED"])
    options = options.parse_args()
    ours, theirs = Server(options.ours), Server(options.theirs)
    for server in (ours, theirs):
        for statement in SETUP.split(";\n"):
            if statement.strip():
                _, error = server.run(statement)
                assert error is None, (error, statement)
    source = Statements(random.Random(options.seed))
    counts, forms, examples, allowed, unexpected = Counter(), defaultdict(Counter), defaultdict(list), expected(), []
    for _ in range(options.count):
        sql, is_ordered, used = source.next()
        outcomes = ours.undone(sql), theirs.undone(sql)
        kind = kind_of(sql, *outcomes, is_ordered)
        counts[kind] += 1
        is_listed = any(kind == its and pattern.search(sql) for its, pattern in allowed)
        if kind in ("DIFFERENT", "ACCEPTED") and not is_listed:
            unexpected.append((kind, sql, *outcomes))
        for form in set(used):
            forms[form][kind] += 1
            if kind in options.show and len(examples[kind, form]) < 50:
                shown = [str(rows if error is None else error)[:200] for rows, error in outcomes]
                if kind not in ("DIFFERENT", "ACCEPTED"):
                    shown[0] += " " + ours.message(sql)
                examples[kind, form].append((sql, *shown))
    report(counts, forms, examples, options.show)
    print(f"\nnot expected: {len(unexpected)}")
    for kind, sql, *outcomes in unexpected:
        print(f"  {kind} {sql}", *(f"      {side} {str(outcome)[:200]}" for side, outcome in zip(("ours", "theirs"), outcomes)), sep="\n")
    sys.exit(bool(unexpected))


if __name__ == "__main__":
    main()
