"""The suite `serve`: what the server bears, compared with PostgreSQL at a Unix socket where it has an equal.

pgbench counts the transactions of one client and of eight. Further figures: a pipeline of libSQL's protocol by the time
of its statements, a commit while subscribers read the feed of changes by one without, and the p99 of a client beside
each hostile one by its undisturbed p99. Single statements, connections and memory are in the suite `pgsqlite`.
"""

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from .engines import ROOT
from .figures import Figure, Verdict
from .players import ADAPTERS, PYTHON
from .programs import Round, Times, alternating, missing, part, printed
from .report import Part
from .spread import Spread
from .wire import PORT, POSTGRES, SERVER, postgres, started, version

SUITE = "serve"
CLIENT = ADAPTERS / "serve_client.py"
SCHEMA = ROOT / "host/serve/tests/clients/pgbench.sql"
ENGINES = {
    "serve": "pgbench, prepared statements, Unix socket; --fast-commits",
    "postgres": "pgbench, prepared statements, Unix socket; synchronous_commit=off",
}
"""A commit waits for the disk in neither."""
SCRIPTS = {
    "select": ("select-only", "1", "a row by its key, one client"),
    "select-8": ("select-only", "8", "a row by its key, eight clients"),
    "update": ("simple-update", "1", "a transaction that changes a row and adds one"),
}
SECONDS, QUICK_SECONDS = "5", "2"
SECOND = 1e9
TIMED = "by pgbench: the seconds of a run by its transactions"


class Served(NamedTuple):
    """Where our server listens."""

    url: str
    """With its token."""
    counters: str


def complaint() -> str:
    return missing(SERVER, "make build")


def unavailable() -> str:
    """Why it cannot be measured here, or nothing."""
    if not PYTHON.exists():
        return "not available: run `make bench-peers`"
    if not shutil.which("pgbench") or not (POSTGRES / "initdb").exists():
        return "not available: PostgreSQL 15 with pgbench is not installed"
    return ""


def measure(repeats: int, quick: bool) -> Part:
    about = {name: text for name, (*_, text) in SCRIPTS.items()}
    engines = {name: {"version": version(name), "sqlite": None, "via": via} for name, via in ENGINES.items()}
    if reason := unavailable():
        nothing: Round = {name: {} for name in ENGINES}
        return part(SUITE, about, engines, [nothing], TIMED, reason)
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=ROOT / "target")))
        stack.enter_context(postgres(directory / "postgres"))
        served = stack.enter_context(serve(directory / "served"))
        words = {
            "serve": f"host={directory / 'served'} port={PORT} dbname=shop user=local",
            "postgres": f"host={directory / 'postgres'} port={PORT + 1} dbname=postgres user=root",
        }
        for each in words.values():
            printed(["psql", "-X", "-q", each, "-f", str(SCHEMA), "-c", "ANALYZE"], directory)
        rounds = alternating(list(ENGINES), repeats, partial(transactions, words, QUICK_SECONDS if quick else SECONDS))
        clients = [client(served, words["serve"], directory) for _ in range(2 if quick else repeats)]
    found = part(SUITE, about, engines, rounds, TIMED)
    for name in SCRIPTS:
        found.verdicts.append(
            Verdict(Figure(f"{name}, by PostgreSQL's time"), Spread.of(each["serve"][name] / each["postgres"][name] for each in rounds))
        )
    for name in clients[0]:
        found.verdicts.append(Verdict(Figure(name), Spread.of(each[name] for each in clients)))
    return found


def transactions(words: dict[str, str], seconds: str, engine: str) -> Times:
    """Nanoseconds of a transaction."""
    settings = {"PGOPTIONS": "-c synchronous_commit=off" if engine == "postgres" else ""}
    found = {}
    for name, (script, clients, _) in SCRIPTS.items():
        command = ["pgbench", "-n", "-M", "prepared", "-b", script, "-c", clients, "-j", "1", "-T", seconds, words[engine]]
        (rate,) = re.findall(r"tps = ([\d.]+)", printed(command, ROOT, **settings))
        found[name] = SECOND / float(rate)
    return found


def client(served: Served, words: str, directory: Path) -> dict[str, float]:
    """Ratios by their names."""
    return json.loads(printed([str(PYTHON), "-B", str(CLIENT), served.url, served.counters, words], directory))


@contextmanager
def serve(directory: Path) -> Iterator[Served]:
    directory.mkdir()
    command = [str(SERVER), str(directory / "shop.db"), "--fast-commits", "--unix", str(directory), "--pg", f"127.0.0.1:{PORT}",
               "--http", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--idle-timeout", "10m"]  # fmt: skip
    with started(command, directory, PORT):
        said = (directory / "log").read_text(encoding="utf-8")
        (url,) = re.findall(r"^listening at (http\S+)", said, re.MULTILINE)
        (counters,) = re.findall(r"^counters at http://(\S+)/metrics", said, re.MULTILINE)
        yield Served(url, counters)
