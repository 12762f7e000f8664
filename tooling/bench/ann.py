"""The index `ann`, as a part of the suite `vec`: recall and times of searches, building and size.

The exact answers are those of `exact = 1`, which must be those of vec0. A time is the processor time of one
statement that searches for all queries, divided by their number; vec0's exact scan is measured in the same
session. Where the Python package `usearch` is installed, it is measured too, with one thread.
"""

import random
import sqlite3
import struct
import subprocess
import time
from pathlib import Path

from .engines import ROOT, SUBJECT, engine
from .figures import Figure, Verdict
from .session import Disagreement
from .spread import Spread
from .timer import processor_seconds

EXTENSIONS = ROOT / "dist/extensions"
SEED = 20_260_122
QUERIES = 100
PLACES = (1, 10, 100)
EFS = (20, 50, 100, 200)
DIMENSIONS = 384

# Rows and kind of data, with the limits of the warm time in ms for recall@10 of 0.95 or more, and of the first
# search after the database was opened.
CORPORA = {
    (10_000, "random"): ((0.6, 0.3), (None, None)),
    (10_000, "clustered"): ((0.6, 0.3), (None, None)),
    (100_000, "clustered"): ((1.5, 0.8), (60, 25)),
    (100_000, "random"): ((None, None), (None, None)),
}
SIZES = {"none": (1.6, 1.35), "int8": (0.6, 0.45)}


def measure(directory: Path, repeats: int, quick: bool) -> list[Verdict]:
    found = []
    for (rows, kind), limits in list(CORPORA.items())[: 1 if quick else 3]:
        corpus = Corpus(directory, rows, kind)
        found += corpus.build("none") + corpus.search(repeats, limits)
        if (rows, kind) == (100_000, "clustered"):
            found += corpus.changes() + corpus.filters() + corpus.build("int8") + corpus.usearch()
        corpus.remove()
    return found


def vectors(rows, kind):
    """Uniform components, or those of as many centres as the root of the rows, with uniform noise around them."""
    numbers = random.Random(SEED)
    uniform = numbers.random
    if kind == "random":
        return ([uniform() - 0.5 for _ in range(DIMENSIONS)] for _ in range(rows))
    centres = [[uniform() - 0.5 for _ in range(DIMENSIONS)] for _ in range(int(rows**0.5))]
    return ([part + uniform() - 0.5 for part in numbers.choice(centres)] for _ in range(rows))


class Corpus:
    def __init__(self, directory, rows, kind):
        self.directory, self.rows, self.title = directory, rows, f"{rows // 1000}k x {DIMENSIONS} {kind}"
        self.source, self.table = directory / f"ann-{rows}-{kind}.db", directory / f"ann-{rows}-{kind}-v.db"
        pack = struct.Struct(f"{DIMENSIONS}f").pack
        with sqlite3.connect(self.source) as db:
            db.execute("CREATE TABLE source(id INTEGER PRIMARY KEY, v BLOB)")
            values = enumerate(vectors(rows + QUERIES, kind), 1)
            db.executemany("INSERT INTO source VALUES (?, ?)", ((i, pack(*vector)) for i, vector in values))

    def remove(self):
        for path in (self.source, self.table):
            path.unlink(missing_ok=True)

    def run(self, script):
        load = ["--extension-dir", str(EXTENSIONS), "--load", "vec0", "--load", "ann"]
        script = f"ATTACH '{self.source}' AS s;\nPRAGMA synchronous=OFF;\n{script}"
        command = [*engine(SUBJECT).argv(), *load, str(self.table)]
        done = subprocess.run(command, input=script, capture_output=True, text=True, check=False, cwd=self.directory)
        if done.returncode or done.stderr:
            raise Disagreement(f"ann, {self.title}: {done.stderr.strip()}")
        return done.stdout

    def figure(self, what, unit, values, limits=(None, None), larger_is_better=False):
        return Verdict(Figure(f"ann {what}, {self.title}", unit, *limits, larger_is_better), Spread.of(values))

    def build(self, quantize):
        self.table.unlink(missing_ok=True)
        output = self.run(
            f"CREATE VIRTUAL TABLE v USING ann(e float[{DIMENSIONS}] distance=cosine, part integer, quantize={quantize});\n"
            f".timer on\nINSERT INTO v(rowid, e, part) SELECT id, v, id % 100 FROM s.source WHERE id <= {self.rows};\n"
        )
        self.build_seconds = sum(processor_seconds(output))
        own = self.rows * DIMENSIONS * 4
        size = self.table.stat().st_size / own
        return [
            self.figure(f"build, {quantize}", "s", [self.build_seconds]),
            self.figure(f"size over the vectors, {quantize}", "times", [size], SIZES[quantize]),
        ]

    def statement(self, k, condition="", table="v", queries=QUERIES):
        first, last = self.rows + 1, self.rows + queries
        return (
            f"SELECT q.id || ':' || group_concat(t.rowid) FROM s.source AS q CROSS JOIN {table} AS t"
            f" WHERE q.id BETWEEN {first} AND {last} AND t.e MATCH q.v AND t.k = {k} {condition} GROUP BY q.id;\n"
        )

    def answers(self, script):
        """The rows of each search, and the seconds of each statement."""
        output = self.run(".timer on\n" + script)
        found = [line.split(":") for line in output.splitlines() if line[:1].isdigit() and ":" in line]
        return [set(rows.split(",")) for _, rows in found], processor_seconds(output)

    def search(self, repeats, limits):
        warm, first = limits
        exact = {k: self.answers(self.statement(k, "AND t.exact = 1"))[0] for k in PLACES}
        found = []
        for ef in (None, *EFS):
            condition = f"AND t.ef = {ef}" if ef else ""
            for k in PLACES:
                share = recall(self.answers(self.statement(k, condition))[0], exact[k])
                found.append(self.figure(f"recall@{k}, ef {ef or 'default'}", "times", [share]))
        runs = [self.times() for _ in range(repeats)]
        cold, own, scans = zip(*runs)
        found += [
            self.figure("top-10, warm", "ms", own, warm),
            self.figure("top-10, first after open", "ms", cold, first),
            self.figure("top-10, warm, over vec0's scan", "times", [one / scan for one, scan in zip(own, scans)]),
        ]
        return found

    def times(self):
        """Milliseconds of the first search, of one of many, and of a scan by vec0."""
        create = (
            f"CREATE VIRTUAL TABLE temp.w USING vec0(e float[{DIMENSIONS}] distance_metric=cosine);\n"
            f"INSERT INTO w(rowid, e) SELECT id, v FROM s.source WHERE id <= {self.rows};\n"
        )
        script = self.statement(10, queries=1) + 2 * self.statement(10) + create + self.statement(10, "", "w", 5)
        found, seconds = self.answers(script)
        scanned = found[-5:]
        exact, _ = self.answers(self.statement(10, "AND t.exact = 1", queries=5))
        if scanned != exact:
            raise Disagreement(f"ann, {self.title}: `exact = 1` and vec0 differ")
        return seconds[0] * 1e3, seconds[2] * 1e3 / QUERIES, seconds[-1] * 1e3 / 5

    def changes(self):
        """An insertion in a separate transaction."""
        insert = "".join(f"INSERT INTO v(rowid, e) SELECT id, v FROM s.source WHERE id = {self.rows + i};\n" for i in range(1, 51))
        _, seconds = self.answers(insert + f"DELETE FROM v WHERE rowid > {self.rows};\n")
        return [self.figure("insertion of a row", "ms", [second * 1e3 for second in seconds[25:50]], (8, 3))]

    def filters(self):
        found = []
        for condition, limits in (("t.part = 7", (0.95, 0.99)), ("t.part < 10", (None, None)), ("t.part < 50", (None, None))):
            exact, _ = self.answers(self.statement(10, f"AND {condition} AND t.exact = 1"))
            own, seconds = self.answers(2 * self.statement(10, f"AND {condition}"))
            share = recall(own[:QUERIES], exact)
            found.append(self.figure(f"recall@10 where {condition[2:]}", "times", [share], limits, larger_is_better=True))
            found.append(self.figure(f"top-10 where {condition[2:]}", "ms", [seconds[1] * 1e3 / QUERIES]))
        return found

    def usearch(self):
        """The same by usearch, in memory, with one thread; nothing where it is not installed."""
        try:
            import numpy
            from usearch.index import Index
        except ImportError:
            return []
        with sqlite3.connect(self.source) as db:
            blob = b"".join(row for (row,) in db.execute("SELECT v FROM source ORDER BY id"))
        data = numpy.frombuffer(blob, dtype=numpy.float32).reshape(-1, DIMENSIONS)
        index = Index(ndim=DIMENSIONS, metric="cos", dtype="f32", connectivity=16, expansion_add=200)
        begin = time.process_time()
        index.add(numpy.arange(1, self.rows + 1), data[: self.rows], threads=1)
        built = time.process_time() - begin
        exact, _ = self.answers(self.statement(10, "AND t.exact = 1"))
        found = [self.figure("build over usearch's", "times", [self.build_seconds / built], (6, 3))]
        for ef in EFS:
            index.expansion_search = ef
            begin = time.process_time()
            keys = [index.search(query, 10, threads=1).keys for query in data[self.rows :]]
            taken = (time.process_time() - begin) * 1e3 / QUERIES
            share = recall([{str(key) for key in row} for row in keys], exact)
            found += [self.figure(f"usearch recall@10, ef {ef}", "times", [share])]
            found += [self.figure(f"usearch top-10, ef {ef}", "ms", [taken])]
        return found


def recall(found, exact):
    """The share of the exact answers that was found."""
    if len(found) != len(exact):
        raise Disagreement(f"{len(found)} answers of {len(exact)}")
    return sum(len(own & all_of) for own, all_of in zip(found, exact)) / sum(map(len, exact))
