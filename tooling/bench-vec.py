#!/usr/bin/env python3
"""vec0 as a component compared with the native sqlite-vec, in the same run.

    make bench-vec
    python3 tooling/bench-vec.py --quick

Both run the same scripts in turn, in the native reference with the wheel's
library and in the runner; times are the shell's own `.timer`, and the least of
all repeats counts. Results are compared before anything is timed.
"""

import argparse
import os
import random
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

from bench.conditions import commit, mark, objections  # noqa: E402  (after the line above on purpose)

ROOT = Path(__file__).resolve().parent.parent
NATIVE = [str(ROOT / "target/native-reference/sqlite3"), "-cmd", f".load {ROOT}/target/c-sources/vec0"]
OURS = [str(ROOT / "target/release/sqlite-wasm-run"), "--load", "vec0"]
ENGINES = {"native": NATIVE, "ours": OURS}

# Vectors, dimensions: the corpora of the figures.
CORPORA = [(10_000, 384), (10_000, 768), (100_000, 128), (100_000, 384)]
SEED = 20_240_229
NEIGHBOURS = 10
TIMER = re.compile(r"^Run Time: real ([0-9.]+) user ([0-9.]+) sys ([0-9.]+)", re.M)


def make_source(path, rows, dimensions):
    """Random vectors of a fixed seed in a table, packed as sqlite-vec wants them."""
    numbers = random.Random(SEED)
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE source(id INTEGER PRIMARY KEY, v BLOB)")
        pack = struct.Struct(f"{dimensions}f").pack
        db.executemany(
            "INSERT INTO source VALUES (?, ?)",
            ((i + 1, pack(*[numbers.random() - 0.5 for _ in range(dimensions)])) for i in range(rows)),
        )


def run(engine, database, script):
    """What the shell prints for a script."""
    done = subprocess.run([*ENGINES[engine], str(database)], input=script, capture_output=True, text=True)
    if done.returncode or done.stderr:
        sys.exit(f"error: {engine} failed: {done.stderr.strip()}")
    return done.stdout


def seconds(output):
    """Processor time of the timed statements, in seconds."""
    return [float(user) + float(system) for _, user, system in TIMER.findall(output)]


def insert_script(dimensions, source):
    return f"""ATTACH '{source}' AS s;
CREATE VIRTUAL TABLE v USING vec0(e float[{dimensions}] distance_metric=cosine);
BEGIN;
.timer on
INSERT INTO v(rowid, e) SELECT id, v FROM s.source;
COMMIT;
"""


def search(query):
    return (
        f"SELECT rowid FROM v WHERE e MATCH (SELECT v FROM s.source WHERE id = {query})"
        f" AND k = {NEIGHBOURS};\n"
    )


def search_script(source, queries):
    return f"ATTACH '{source}' AS s;\n.timer on\n" + "".join(search(q) for q in queries)


def measure(directory, rows, dimensions, repeats):
    """Least insert and search times of each engine."""
    source = directory / f"source-{rows}-{dimensions}.db"
    make_source(source, rows, dimensions)
    insert = {name: [] for name in ENGINES}
    found = {name: [] for name in ENGINES}
    databases = {}
    for attempt in range(repeats):
        for name in ENGINES:
            databases[name] = directory / f"{name}-{rows}-{dimensions}.db"
            databases[name].unlink(missing_ok=True)
            output = run(name, databases[name], insert_script(dimensions, source))
            insert[name].append(sum(seconds(output)))
    queries = range(1, 6)
    answers = {}
    for _ in range(repeats):
        for name in ENGINES:
            output = run(name, databases[name], search_script(source, queries))
            answers[name] = TIMER.sub("", output).split()
            found[name].extend(seconds(output))
    if answers["native"] != answers["ours"]:
        sys.exit(f"error: {rows}x{dimensions}: the neighbours differ")
    source.unlink()
    return min(insert["native"]), min(insert["ours"]), min(found["native"]), min(found["ours"])


HYBRID = """ATTACH '{source}' AS s;
CREATE VIRTUAL TABLE words USING fts5(body);
CREATE VIRTUAL TABLE v USING vec0(e float[64]);
BEGIN;
INSERT INTO words(rowid, body) SELECT id, body FROM s.docs;
INSERT INTO v(rowid, e) SELECT id, v FROM s.docs;
COMMIT;
.timer on
WITH near AS (SELECT rowid AS id, row_number() OVER (ORDER BY distance) AS place FROM v
    WHERE e MATCH (SELECT v FROM s.docs WHERE id = 7) AND k = 100),
  said AS (SELECT rowid AS id, row_number() OVER (ORDER BY bm25(words)) AS place FROM words
    WHERE words MATCH 'alpha OR beta' ORDER BY bm25(words) LIMIT 100)
SELECT id, printf('%.6f', sum(1.0 / (60 + place))) AS score
FROM (SELECT * FROM near UNION ALL SELECT * FROM said) GROUP BY id ORDER BY score DESC, id LIMIT 10;
"""

WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho".split()


def hybrid(directory, documents, repeats):
    """One statement that fuses BM25 with vectors, by reciprocal ranks."""
    numbers = random.Random(SEED)
    source = directory / "documents.db"
    with sqlite3.connect(source) as db:
        db.execute("CREATE TABLE docs(id INTEGER PRIMARY KEY, body TEXT, v BLOB)")
        for i in range(documents):
            body = " ".join(numbers.choices(WORDS, k=30))
            vector = struct.pack("64f", *[numbers.random() for _ in range(64)])
            db.execute("INSERT INTO docs VALUES (?, ?, ?)", (i + 1, body, vector))
    times = {name: [] for name in ENGINES}
    answers = {}
    for _ in range(repeats):
        for name in ENGINES:
            output = run(name, ":memory:" if name == "native" else ":memory:", HYBRID.format(source=source))
            answers[name] = TIMER.sub("", output).split()
            times[name].extend(seconds(output))
    if answers["native"] != answers["ours"]:
        sys.exit("error: the fused results differ")
    return min(times["native"]), min(times["ours"])


def line(title, native, ours):
    ratio = ours / native if native else float("inf")
    print(f"{title:<34}{native * 1000:>10.1f}{ours * 1000:>10.1f}{ratio:>9.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="only the first corpus")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(*mark(objections()), f"commit {commit()}", sep="\n")
    print(f"{'processor time, ms':<34}{'native':>10}{'ours':>10}{'ratio':>9}")
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        os.chdir(directory)
        for rows, dimensions in CORPORA[: 1 if options.quick else None]:
            title = f"{rows // 1000}k x {dimensions}"
            times = measure(directory, rows, dimensions, options.repeats)
            line(f"insert {title}", *times[:2])
            line(f"top-{NEIGHBOURS} {title}", *times[2:])
        line("BM25 and vectors, 10k documents", *hybrid(directory, 10_000, options.repeats))


if __name__ == "__main__":
    main()
