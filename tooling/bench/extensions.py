"""The suite `extensions`: what a call, a row, a request for SQL and a load cost.

Statements are timed by the shell's own `.timer`, in one process for each repeat,
so that what is subtracted from each other was measured side by side.
"""

import subprocess
import tempfile
from pathlib import Path
from statistics import median

from . import embedded
from .engines import REFERENCE, ROOT, SUBJECT, engine
from .figures import Figure, Verdict, combined
from .placements import Programs
from .session import Disagreement
from .timer import processor_seconds

ROWS = 500_000
"""In every profile: Linux counts a running process's time in ticks of 4 ms, which are 8 ns a row then."""
LONG_ROWS = ROWS // 10
"""Rows with a long text; hashing each takes several microseconds."""

GUESTS = "target/release/guests"
EXTENSIONS = "target/release/extensions"

BLOCK_BYTES = 136
"""What SHA3-256 takes at once (FIPS 202, its rate)."""
MORE_BLOCKS = 8

SCANS = 10
"""Scans of one statement, as one is short."""
SERIES = f"SELECT sum(value) FROM (VALUES {', '.join(['(1)'] * SCANS)}) CROSS JOIN generate_series(1, {{rows}});"

TURNS = 4
STARTS = 5
"""For each repeat."""

FIRST_ROW = "SELECT count(*) FROM generate_series(1, 1);"

SETUP = """
CREATE TABLE t(name TEXT, long TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {rows})
INSERT INTO t SELECT printf('customer %020d', i), iif(i <= {long_rows}, printf('%0{long}d', i), '') FROM n;
"""

# Each is timed; the names are those that the figures below use.
BEFORE_LOADING = {
    "length": "SELECT sum(length(name)) FROM t;",
    "random": "SELECT count(random()) FROM t;",
    "comparison": "SELECT sum(name < 'd') FROM t;",
    "builtin-window": "SELECT max(w) FROM (SELECT count(*) OVER (ORDER BY rowid) AS w FROM t);",
    "builtin-scalar": "SELECT sum(length(sha3(name, 256))) FROM t;",
    "builtin-table": SERIES,
    "builtin-aggregate": "SELECT median(rowid) FROM t;",
    "builtin-sql-nothing": "SELECT count(sha3_query('', 256)) FROM t;",
    "builtin-sql": "SELECT count(sha3_query('SELECT 1', 256)) FROM t;",
}
AFTER_LOADING = {
    "ext-scalar": "SELECT sum(length(sha3_256(name))) FROM t;",
    "ext-scalar-long": "SELECT sum(length(sha3_256(long))) FROM t WHERE rowid <= {long_rows};",
    "ext-scalar-two": "SELECT sum(length(sha3(name, 256))) FROM t;",
    "ext-table": SERIES,
    "ext-aggregate": "SELECT median(rowid) FROM t;",
    # A frame that grows with each row: none can be collected.
    "ext-window": "SELECT max(w) FROM (SELECT conf_count() OVER (ORDER BY rowid) AS w FROM t);",
    "echo": "SELECT sum(length(conf_echo(name))) FROM t;",
    "crossing-scalar": "SELECT count(conf_volatile()) FROM t;",
    "crossing-comparison": "SELECT sum(name < 'd' COLLATE conf_bytes) FROM t;",
    "ext-sql-nothing": "SELECT count(sha3_query('', 256)) FROM t;",
    "ext-sql": "SELECT count(sha3_query('SELECT 1', 256)) FROM t;",
}
# In a program that has the extensions inside.
EMBEDDED = {
    "length": BEFORE_LOADING["length"],
    "embedded-scalar": AFTER_LOADING["ext-scalar"],
    "embedded-scalar-long": AFTER_LOADING["ext-scalar-long"],
}
LOADED = ("sha3", "sha3query", "series", "stats", "conformance")

BY_ROW = "series_by_row"
"""The extension series, built to give one row at a time; it replaces the other."""
AFTER_BY_ROW = {"ext-table-by-row": SERIES}

NATIVE = {
    "shathree": {"native-scalar": "SELECT sum(length(sha3(name, 256))) FROM t;"},
    "series": {"native-table": SERIES},
    "percentile": {"native-aggregate": "SELECT median(rowid) FROM t;"},
}
"""C extensions, from `tooling/build/native-reference`, and what the native shell does with each."""

REQUESTS_OF_A_STATEMENT = 3
"""`sha3_query` of one statement requests to prepare, to step, and to close it."""


Measured = list[tuple[Figure, float]]


def complaint() -> str:
    """What is missing that only this suite needs."""
    there = (ROOT / GUESTS / "conformance.wasm").is_file()
    return "" if there else f"missing `{GUESTS}/conformance.wasm`: run `make guests`"


def measure(repeats: int, _quick: bool) -> list[Verdict]:
    rows = ROWS
    command = [*engine(SUBJECT).argv(), "--extension-dir", str(ROOT / GUESTS), "--extension-dir", str(ROOT / EXTENSIONS)]
    native = engine(REFERENCE).argv()
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as directory:
        programs = Programs(Path(directory))
        composed = programs.compiled(embedded.MEASURED)
        forms = (command, [*command, "--load", "series"], programs.compiled(("series",)))
        rounds = [
            figures(timed(command, script(rows), names()) | timed(native, native_script(rows), native_names()), rows)
            + embedded_figures(timed(composed, embedded_script(rows), list(EMBEDDED)), rows)
            + series_figures(forms, rows)
            + load_figures(command)
            + embedded.figures(programs)
            for _ in range(repeats)
        ]
    return combined(rounds)


def figures(seconds: dict[str, float], rows: int) -> Measured:
    def row_us(name: str) -> float:
        return seconds[name] / rows * 1e6

    scalar, two = row_us("ext-scalar") - row_us("length"), row_us("ext-scalar-two") - row_us("length")
    own = row_us("builtin-scalar") - row_us("length")
    hash_us = block_us(seconds["ext-scalar-long"], row_us("ext-scalar"))
    statement = row_us("ext-sql") - row_us("ext-sql-nothing")
    own_statement = row_us("builtin-sql") - row_us("builtin-sql-nothing")
    request = (statement - own_statement) / REQUESTS_OF_A_STATEMENT
    by_row = row_us("ext-table-by-row") - row_us("ext-table")
    window = row_us("ext-window") - row_us("builtin-window")
    return [
        (Figure("a scalar call, without the hash's own time", "µs", must=0.30, aim=0.22), scalar - hash_us),
        (Figure("a scalar call that gives back its text", "µs"), row_us("echo") - row_us("length")),
        (Figure("the hash's own time (one block)", "µs"), hash_us),
        (Figure("the shell's sha3() in all", "µs"), own),
        (Figure("sha3_256() in all, to the shell's sha3()", must=1.7, aim=1.3), scalar / own),
        (Figure("sha3() with two arguments in all, to the same", must=1.8, aim=1.4), two / own),
        (Figure("sha3_256() in all, to a native C extension"), scalar / (row_us("native-scalar") - row_us("native-length"))),
        (Figure("series in batches, to one row at a time", must=7, aim=12, larger_is_better=True),
         seconds["ext-table-by-row"] / seconds["ext-table"]),
        (Figure("series, to a native C extension"), seconds["ext-table"] / seconds["native-table"]),
        (Figure("a row of series, over the shell's own", "µs", must=0.035, aim=0.025),
         (row_us("ext-table") - row_us("builtin-table")) / SCANS),
        (Figure("a row of median(), over the shell's own", "µs"), row_us("ext-aggregate") - row_us("builtin-aggregate")),
        (Figure("median(), to a native C extension"), seconds["ext-aggregate"] / seconds["native-aggregate"]),
        (Figure("a row of a window, which is not collected", "µs"), window),
        (Figure("crossing: a scalar call without arguments", "ns"), 1e3 * (row_us("crossing-scalar") - row_us("random"))),
        (Figure("crossing: a comparison", "ns"), 1e3 * (row_us("crossing-comparison") - row_us("comparison"))),
        (Figure("crossing: a row fetched alone", "ns"), 1e3 / SCANS * by_row),
        (Figure("crossing: a step, and the value so far", "ns"), 1e3 * window / 2),
        (Figure("crossing: a request for SQL, and its result", "ns"), 1e3 * request / 2),
        (Figure("two requests for SQL, without SQLite's time", "µs", must=2.4, aim=1.8), 2 * request),
    ]  # fmt: skip


def block_us(long_seconds: float, short_us: float) -> float:
    """The time of one more block."""
    return (long_seconds / LONG_ROWS * 1e6 - short_us) / MORE_BLOCKS


def embedded_figures(seconds: dict[str, float], rows: int) -> Measured:
    row_us = {name: value / rows * 1e6 for name, value in seconds.items()}
    hash_us = block_us(seconds["embedded-scalar-long"], row_us["embedded-scalar"])
    call = row_us["embedded-scalar"] - row_us["length"] - hash_us
    return [(Figure("an embedded scalar call, without the hash's own time", "µs", must=0.09, aim=0.06), call)]


def series_figures(forms: tuple[list[str], ...], rows: int) -> Measured:
    """The shell's own series, that of an extension, and the same embedded, in turns."""
    text = f"{FIRST_ROW}\n.timer on\n{SERIES.format(rows=rows, long_rows=LONG_ROWS)}\n"
    turns = [[timed(form, text, ["scan"])["scan"] for form in forms] for _ in range(TURNS)]
    faster = median(loaded / inside for _, loaded, inside in turns)
    over_own = median((loaded - own) / (inside - own) for own, loaded, inside in turns)
    return [
        (Figure("series at run time by embedded", must=1.5, aim=3, larger_is_better=True), faster),
        (Figure("the same, over the shell's own series"), over_own),
    ]


def load_figures(command: list[str]) -> Measured:
    """By how much a process that loads an extension takes longer."""
    start = [*command, ":memory:", "SELECT 1"]
    loading = [*command, "--load", "sha3", ":memory:", "SELECT 1"]
    longer = [embedded.seconds_of(loading) - embedded.seconds_of(start) for _ in range(STARTS)]
    return [(Figure("to load a cached extension", "ms", must=3, aim=1), median(longer) * 1e3)]


def names() -> list[str]:
    return [*BEFORE_LOADING, *AFTER_LOADING, *AFTER_BY_ROW]


def native_names() -> list[str]:
    return ["native-length", *(name for statements in NATIVE.values() for name in statements)]


def lines(statements: dict[str, str], rows: int) -> str:
    return "\n".join(statements.values()).format(rows=rows, long_rows=LONG_ROWS)


def script(rows: int) -> str:
    loads = "\n".join(f".load {name}" for name in LOADED)
    # A first call, so that no start of an instance is timed.
    first = f"SELECT length(sha3_256('')), length(sha3_query('')), median(1), conf_volatile();\n{FIRST_ROW}"
    return "\n".join((
        setup(rows), ".timer on", lines(BEFORE_LOADING, rows), ".timer off",
        loads, first, ".timer on", lines(AFTER_LOADING, rows), ".timer off",
        f".load {BY_ROW}", FIRST_ROW, ".timer on", lines(AFTER_BY_ROW, rows), "",
    ))  # fmt: skip


def embedded_script(rows: int) -> str:
    first = "SELECT length(sha3_256('')) FROM generate_series(1, 1);"
    statements = "\n".join(EMBEDDED.values()).format(rows=rows, long_rows=LONG_ROWS)
    return f"{setup(rows)}{first}\n.timer on\n{statements}\n"


def native_script(rows: int) -> str:
    parts = [setup(rows), ".timer on", BEFORE_LOADING["length"], ".timer off"]
    for name, statements in NATIVE.items():
        library = engine(REFERENCE).argv()[0]
        parts += [f".load {Path(library).parent / name}", ".timer on", lines(statements, rows), ".timer off"]
    return "\n".join([*parts, ""])


def setup(rows: int) -> str:
    return SETUP.format(rows=rows, long_rows=LONG_ROWS, long=27 + MORE_BLOCKS * BLOCK_BYTES)


def timed(command: list[str], text: str, names: list[str]) -> dict[str, float]:
    """The processor time of each statement, in seconds."""
    done = subprocess.run([*command, ":memory:"], input=text, capture_output=True, text=True, check=False)
    found = processor_seconds(done.stdout)
    if done.stderr or len(found) != len(names):
        raise Disagreement(f"the script fails: {done.stderr.strip() or f'{len(found)} of {len(names)} statements were timed'}")
    return dict(zip(names, found))
