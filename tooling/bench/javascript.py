"""The suite `javascript`: the npm package compared with others for Node, rows decoded, on one version of Node.

Each repeat runs every peer in a process of its own, one after the other (`javascript/bench/player.js`), so that ratios
are those of neighbours. What they return is compared before anything is reported.
"""

import gzip
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from .engines import ROOT
from .figures import Figure, Verdict
from .session import Disagreement
from .spread import Spread, geometric_means, ratios

PACKAGE = ROOT / "javascript"
PEERS = ROOT / "target/bench-peers"
PLAYER = PACKAGE / "bench/player.js"

OURS = "ours"
NATIVE = ("better-sqlite3", "node:sqlite")
WASM = ("node-sqlite3-wasm", "sql.js", "@sqlite.org/sqlite-wasm")

PARTS = ("insert", "scan", "group", "join")
ROWS = 100_000
STORED = 10_000
STARTS = 5

TIMEOUT = 300
"""Seconds for one process: a peer takes ten for its point reads."""

KILOBYTE = 1024


def node() -> Path:
    """The Node of the peers, which has `node:sqlite`; without peers that of the system."""
    return next((PEERS / "node_modules").glob("node-linux-*/bin/node"), Path(shutil.which("node") or "node"))


def complaint() -> str:
    """What is missing that only this suite needs."""
    return "" if (PACKAGE / "engine/engine.wasm").is_file() else "missing `javascript/engine`: run `tooling/javascript build`"


def measure(repeats: int, _quick: bool) -> list[Verdict]:
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as name:
        package, database = Path(name) / "package", Path(name) / "points.db"
        subprocess.run(["node", PACKAGE / "scripts/stage.js", "0.0.0", package], check=True)
        make_database(database)
        environment = os.environ | {"OURS": str(package), "PEERS": str(PEERS)}
        names = [each for each in (OURS, *NATIVE, *WASM) if is_usable(each, environment)]
        starts = [min(started(OURS, environment) for _ in range(STARTS)) for _ in range(repeats)]
        runs: dict = {each: [] for each in names}
        for _ in range(repeats):
            played = {each: play([each, str(ROWS), str(database)], environment) for each in names}
            must_agree(played)
            for each, found in played.items():
                runs[each].append(found)
        sizes = [compressed(sorted((package / "src").rglob("*.js"))), compressed([package / "engine/engine.wasm"])]
    return [Verdict(Figure("start, import to first row", "ms", 25, 12), Spread.of(starts)), *judged(runs), *sized(sizes)]


def make_database(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)")
        db.executemany("INSERT INTO t VALUES (?, ?)", ((n, f"value {n}") for n in range(1, STORED + 1)))


def play(words: list[str], environment: dict[str, str]) -> dict:
    command = [str(node()), "--no-warnings", str(PLAYER), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=TIMEOUT)
    # better-sqlite3 may abort while Node ends, too (`javascript/bench/peers.js`).
    is_done = words[0] in NATIVE and done.returncode == -signal.SIGABRT and done.stdout.endswith("\n")
    if done.returncode and not is_done:
        raise Disagreement(f"{words[0]} failed: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def started(name: str, environment: dict[str, str]) -> float:
    return play([name, "start"], environment)["start"]


def is_usable(name: str, environment: dict[str, str]) -> bool:
    """A peer that is not installed has no figures; ours must work."""
    try:
        started(name, environment)
    except Disagreement:
        if name == OURS:
            raise
        return False
    return True


def must_agree(played: dict[str, dict]) -> None:
    for part in (*PARTS, "points"):
        digests = {found["digests"][part] for found in played.values() if part in found["digests"]}
        if len(digests) != 1:
            raise Disagreement(f"javascript/{part}: the rows differ")


def judged(runs: dict[str, list[dict]]) -> Iterable[Verdict]:
    """The ratios of a part to a peer, and to the best one in WebAssembly in the same repeat."""
    times = {
        name: {part: [run["milliseconds"][part] for run in found] for part in found[0]["milliseconds"]} for name, found in runs.items()
    }
    ours = times[OURS]
    limits = {"node:sqlite": (2.0, 1.4), "node-sqlite3-wasm": (0.15, 0.08)}
    for name in (each for each in times if each != OURS and "points" in times[each]):
        must, aim = limits.get(name, (None, None))
        yield Verdict(Figure(f"20,000 point reads to {name}", "times", must, aim), Spread.of(ratios(ours["points"], times[name]["points"])))
    peers = [times[name] for name in WASM if name in times]
    if peers:
        to_best = {part: ratios(ours[part], [min(values) for values in zip(*(each[part] for each in peers))]) for part in PARTS}
        for part, values in to_best.items():
            yield Verdict(Figure(f"{part} to the best of WebAssembly"), Spread.of(values))
        yield Verdict(Figure("the geometric mean of these", "times", 1.0, 0.8), Spread.of(geometric_means(list(to_best.values()))))
    for name in (each for each in NATIVE if each in times):
        means = geometric_means([ratios(ours[part], times[name][part]) for part in PARTS])
        yield Verdict(Figure(f"the geometric mean to {name}"), Spread.of(means))
    yield Verdict(Figure("a call of a scalar extension", "µs", 0.6, 0.3), Spread.of(run["call"] for run in runs[OURS]))


def compressed(files: Iterable[Path]) -> float:
    """Files together, as the package is one compressed stream."""
    return len(gzip.compress(b"".join(each.read_bytes() for each in files), 9)) / KILOBYTE


def sized(sizes: list[float]) -> Iterable[Verdict]:
    limits = {"JavaScript, compressed": (40, 25), "the engine, compressed": (850, 650)}
    for (title, (must, aim)), size in zip(limits.items(), sizes, strict=True):
        yield Verdict(Figure(title, "KB", must, aim), Spread.of([size]))
