"""The suite `vec`: vec0 as a component compared with the native sqlite-vec, and the index `ann` (`ann.py`).

Both run the same scripts in turn, in the native reference with the wheel's library
and in the runner. Times are the processor time of the shell's own `.timer`; results
are compared.
"""

import random
import sqlite3
import struct
import subprocess
import tempfile
from pathlib import Path

from . import ann
from .engines import REFERENCE, ROOT, SUBJECT, engine
from .figures import Figure, Verdict
from .session import Disagreement
from .spread import Spread, ratios
from .timer import processor_seconds, without_times

NATIVE_LIBRARY = ROOT / "target/c-sources/vec0.so"
EXTENSIONS = ROOT / "dist/extensions"

# Vectors and dimensions, with the limits of the ratios of insertion and search.
CORPORA = {
    (10_000, 384): ((1.6, 1.2), (1.0, 0.7)),
    (10_000, 768): ((None, None), (None, None)),
    (100_000, 128): ((2.2, 1.5), (None, None)),
    (100_000, 384): ((None, None), (1.2, 1.0)),
}
SEED = 20_240_229
NEIGHBOURS = 10


def complaint() -> str:
    """What is missing that only this suite needs."""
    return "" if NATIVE_LIBRARY.is_file() else f"missing `{NATIVE_LIBRARY.relative_to(ROOT)}`: run `make c-extensions`"


def commands() -> dict[str, list[str]]:
    return {
        REFERENCE: [*engine(REFERENCE).argv(), "-cmd", f".load {NATIVE_LIBRARY.with_suffix('')}"],
        SUBJECT: [*engine(SUBJECT).argv(), "--extension-dir", str(EXTENSIONS), "--load", "vec0"],
    }


def measure(repeats: int, quick: bool) -> list[Verdict]:
    found = []
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as name:
        directory = Path(name)
        for (rows, dimensions), limits in list(CORPORA.items())[: 1 if quick else None]:
            title = f"{rows // 1000}k x {dimensions}"
            for what, (must, aim), values in zip(("insert", f"top-{NEIGHBOURS}"), limits,
                                                 corpus(directory, rows, dimensions, repeats)):  # fmt: skip
                found.append(Verdict(Figure(f"{what} {title}", "times", must, aim), Spread.of(values)))
        found.append(Verdict(Figure("BM25 and vectors, 10k documents"), Spread.of(hybrid(directory, 10_000, repeats))))
        found += ann.measure(directory, repeats, quick)
        found.append(Verdict(Figure("hybrid(), 10k documents", "ms", 3, 1.5), Spread.of(fused(directory, 10_000, repeats))))
    return found


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


def run(name, directory, database, script):
    """What the shell prints for a script."""
    command = [*commands()[name], str(database)]
    done = subprocess.run(command, input=script, capture_output=True, text=True, check=False, cwd=directory)
    if done.returncode or done.stderr:
        raise Disagreement(f"{name} failed: {done.stderr.strip()}")
    return done.stdout


def processor_time(output):
    return sum(processor_seconds(output))


def insert_script(dimensions, source):
    return f"""ATTACH '{source}' AS s;
CREATE VIRTUAL TABLE v USING vec0(e float[{dimensions}] distance_metric=cosine);
BEGIN;
.timer on
INSERT INTO v(rowid, e) SELECT id, v FROM s.source;
COMMIT;
"""


def search(query):
    return f"SELECT rowid FROM v WHERE e MATCH (SELECT v FROM s.source WHERE id = {query}) AND k = {NEIGHBOURS};\n"


def search_script(source, queries):
    return f"ATTACH '{source}' AS s;\n.timer on\n" + "".join(search(q) for q in queries)


def corpus(directory, rows, dimensions, repeats):
    """The ratios of insertion and of search, of neighbouring runs."""
    source = directory / f"source-{rows}-{dimensions}.db"
    make_source(source, rows, dimensions)
    databases = {name: directory / f"{name}-{rows}-{dimensions}.db" for name in commands()}
    insert, found = ({name: [] for name in databases} for _ in range(2))
    for _ in range(repeats):
        for name, database in databases.items():
            database.unlink(missing_ok=True)
            insert[name].append(processor_time(run(name, directory, database, insert_script(dimensions, source))))
    for _ in range(repeats):
        outputs = {name: run(name, directory, each, search_script(source, range(1, 6))) for name, each in databases.items()}
        must_agree(f"{rows}x{dimensions}", outputs)
        for name, output in outputs.items():
            found[name].append(processor_time(output))
    for path in (source, *databases.values()):
        path.unlink()
    return [ratios(times[SUBJECT], times[REFERENCE]) for times in (insert, found)]


def must_agree(title, outputs):
    if len({without_times(output) for output in outputs.values()}) != 1:
        raise Disagreement(f"{title}: the neighbours differ")


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

FUSED = """.load ann
ATTACH '{source}' AS s;
CREATE VIRTUAL TABLE words USING fts5(body);
CREATE VIRTUAL TABLE v USING ann(e float[64]);
BEGIN;
INSERT INTO words(rowid, body) SELECT id, body FROM s.docs;
INSERT INTO v(rowid, e) SELECT id, v FROM s.docs;
COMMIT;
SELECT count(*) FROM v WHERE e MATCH (SELECT v FROM s.docs WHERE id = 7) AND k = 1;
.timer on
SELECT sum(h.score) FROM s.docs AS q CROSS JOIN hybrid('words', 'v', q.term, q.v, 10) AS h WHERE q.id <= 100;
"""

WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho".split()


def hybrid(directory, documents, repeats):
    """The ratios of one statement that fuses BM25 with vectors, by reciprocal ranks."""
    numbers = random.Random(SEED)
    source = directory / "documents.db"
    with sqlite3.connect(source) as db:
        db.execute("CREATE TABLE docs(id INTEGER PRIMARY KEY, body TEXT, v BLOB)")
        for i in range(documents):
            body = " ".join(numbers.choices(WORDS, k=30))
            vector = struct.pack("64f", *[numbers.random() for _ in range(64)])
            db.execute("INSERT INTO docs VALUES (?, ?, ?)", (i + 1, body, vector))
    times = {name: [] for name in commands()}
    for _ in range(repeats):
        outputs = {name: run(name, directory, ":memory:", HYBRID.format(source=source)) for name in times}
        must_agree("BM25 and vectors", outputs)
        for name, output in outputs.items():
            times[name].append(processor_time(output))
    return ratios(times[SUBJECT], times[REFERENCE])


def fused(directory, documents, repeats):
    """Milliseconds of `hybrid()` with words of which each is in a few of 1,000 documents (W11, W12)."""
    numbers = random.Random(SEED)
    dictionary = [f"w{i}" for i in range(10_000)]
    source = directory / "fused.db"
    with sqlite3.connect(source) as db:
        db.execute("CREATE TABLE docs(id INTEGER PRIMARY KEY, body TEXT, term TEXT, v BLOB)")
        for i in range(documents):
            body, term = " ".join(numbers.choices(dictionary, k=16)), " OR ".join(numbers.choices(dictionary, k=3))
            vector = struct.pack("64f", *[numbers.random() for _ in range(64)])
            db.execute("INSERT INTO docs VALUES (?, ?, ?, ?)", (i + 1, body, term, vector))
    script = FUSED.format(source=source)
    return [processor_time(run(SUBJECT, directory, ":memory:", script)) * 10 for _ in range(repeats)]
