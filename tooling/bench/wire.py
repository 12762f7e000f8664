"""Suite `pgsqlite`: Postgres clients against `serve`, PostgreSQL, and SQLite in the client's process."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from .catalogue.loop import FULL, SMALL, SMOKE
from .engines import REFERENCE, ROOT, output_of
from .envelope import sample, skipped
from .players import ADAPTERS, PYTHON

SUITE = "pgsqlite"
SERVER = ROOT / "target/release/sqlite-wasm-serve"
CLIENT = ADAPTERS / "wire_client.py"
POSTGRES = Path("/usr/lib/postgresql/15/bin")

ROWS = {SMOKE: 50, SMALL: 200, FULL: 1_000}
CLIENTS = 4
MESSAGES = 100
START_SECONDS = 20
RUN_SECONDS = 300
PORT = 54_320
"""Of loopback; PostgreSQL has the next one."""

ABOUT = {
    "create": ("PG1.v1/create", "CREATE TABLE"),
    "insert": ("PG1.v1/insert", "INSERT … RETURNING id, a commit each 100"),
    "update": ("PG1.v1/update", "UPDATE of one row by its id"),
    "delete": ("PG1.v1/delete", "DELETE of one row by its id"),
    "select": ("PG1.v1/select", "SELECT * WHERE int_col > ?, no index, all rows fetched"),
    "cached": ("PG1.v1/cached", "five queries, twenty times each, all rows fetched"),
    **{f"batch-{size}": (f"PG2.v1/batch-{size}", f"INSERT of {size} rows a statement") for size in (1, 10, 100, 1000)},
    "connect": ("PG3.v1/connect", "connecting, and SELECT 1; `serve-tls` and `postgres-tls` by TLS"),
    "messages": ("PG4.v1/message", "a row of 12 bytes by its id: bytes both ways, and memory of the server's processes"),
    "clients": ("PG5.v1/4-clients", "four clients at once, 25 reads each"),
}
"""The workloads by the client's names for them; PG6 is the engine `serve-simple` beside `serve`."""

# The driver and the way to the server.
ENGINES = {
    REFERENCE: ("apsw", "", "apsw, SQLite in the client's process, WAL"),
    "serve": ("psycopg", "unix", "psycopg 3, extended protocol, Unix socket"),
    "serve-tcp": ("psycopg", "tcp", "psycopg 3, extended protocol, TCP"),
    "serve-simple": ("psycopg-simple", "unix", "psycopg 3, simple protocol, Unix socket"),
    "serve-psycopg2": ("psycopg2", "unix", "psycopg2, simple protocol, Unix socket"),
    "serve-tls": ("psycopg", "tls", "psycopg 3, extended protocol, TCP by TLS"),
    "postgres": ("psycopg", "postgres", "psycopg 3, extended protocol, Unix socket"),
    "postgres-tls": ("psycopg", "postgres-tls", "psycopg 3, extended protocol, TCP by TLS"),
}


class Way(NamedTuple):
    """Where a client connects."""

    words: str
    """A file for apsw, else the words of a connection."""
    server: int = 0
    """Its process."""


class Broken(Exception):
    """A server or a client failed."""


def unavailable(engine: str, profile: str) -> str:
    """Why an engine cannot be measured here, or nothing."""
    if engine.startswith("postgres") and profile == SMOKE:
        return "not available: no peer is in profile smoke"
    if not PYTHON.exists():
        return "not available: run `make bench-peers`"
    if engine.endswith("-tls") and not shutil.which("openssl"):
        return "not available: openssl, which makes a certificate, is not installed"
    if engine.startswith("postgres") and not (POSTGRES / "initdb").exists():
        return "not available: PostgreSQL 15 is not installed"
    if engine.startswith("serve") and "--pg" not in output_of([str(SERVER), "--help"]):
        return "not available: this `serve` does not speak the Postgres wire yet"
    return ""


def measure(profile: str, repeats: int, progress: Callable[[str], None]) -> tuple[list[dict], dict, list[str], dict]:
    """Samples, what was executed, failures of our own, and the engines."""
    count = ROWS[profile]
    reasons = {name: unavailable(name, profile) for name in ENGINES}
    with ExitStack() as stack:
        parent = ROOT / "target/bench-tmp"
        parent.mkdir(parents=True, exist_ok=True)
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=parent)))
        ways, to = {}, Ways(stack, directory)
        for name in [name for name, reason in reasons.items() if not reason]:
            try:
                ways[name] = to.to(ENGINES[name][1])
            except Broken as problem:
                reasons[name] = str(problem)
        runs = alternating(ways, reasons, count, repeats, progress)
    failures = [f"{SUITE}, {name}: {reason}" for name, reason in reasons.items()
                if reason and name.startswith("serve") and not reason.startswith("not available")]  # fmt: skip
    rows = list(samples(runs, reasons, count))
    workloads = {f"{SUITE}/{id}": {"about": about, "rows": count, "way": "wire", "client": "tooling/bench/peers/wire_client.py"}
                 for id, about in ABOUT.values()}  # fmt: skip
    engines = {name: {"version": version(name), "sqlite": None, "via": via} for name, (_, _, via) in ENGINES.items()}
    return rows, workloads, failures, engines


def alternating(ways: dict, reasons: dict, count: int, repeats: int, progress: Callable) -> dict[str, list[dict]]:
    runs: dict[str, list[dict]] = {name: [] for name in ways}
    for number in range(repeats):
        for name in list(ways)[:: -1 if number % 2 else 1]:
            progress(f"{SUITE}: run {number + 1} of {repeats}, {name}")
            try:
                if not reasons[name]:
                    runs[name].append(client(ENGINES[name][0], ways[name], count))
            except Broken as problem:
                reasons[name] = str(problem)
    return {name: each for name, each in runs.items() if not reasons[name]}


def samples(runs: dict[str, list[dict]], reasons: dict[str, str], count: int) -> Iterator[dict]:
    for key, (id, _) in ABOUT.items():
        reference = [median(run[key]["times"]) for run in runs.get(REFERENCE, []) if key in run]
        answer = runs[REFERENCE][0][key]["digest"] if reference else None
        for name in ENGINES:
            title = f"{SUITE}/{id}"
            found = [run[key] for run in runs.get(name, []) if key in run]
            if not found:
                yield skipped(title, name, count, reasons[name] or "the client did not do it")
            elif answer is not None and any(each["digest"] != answer for each in found):
                yield skipped(title, name, count, "gate: another answer than SQLite in the client")
            else:
                yield sample(title, name, count, [median(each["times"]) for each in found], reference,
                             check=answer, **percentiles([time for each in found for time in each["times"]]), **measures(found))  # fmt: skip


def measures(found: list[dict]) -> dict:
    """What is no time: bytes."""
    return {name: median(each[name] for each in found) for name in ("wire_bytes", "peak_bytes") if found[0].get(name) is not None}


def percentiles(times: list[float]) -> dict:
    ordered = sorted(times)
    at = {name: ordered[min(int(part * len(ordered)), len(ordered) - 1)] for name, part in (("p50_ns", 0.5), ("p95_ns", 0.95), ("p99_ns", 0.99))}
    return {**at, "max_ns": ordered[-1]}


def client(driver: str, where: Way, count: int) -> dict:
    found = one_client(driver, where.words, count) | one_client("clients", where.words, CLIENTS)
    found |= one_client("messages", where.words, MESSAGES)
    found["messages"]["peak_bytes"] = memory(where.server) if where.server else None
    return found


def memory(parent: int) -> int | None:
    """Of a process and its children: their own pages, and their share of common ones."""
    try:
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii").split()
        lines = [Path(f"/proc/{each}/smaps_rollup").read_text(encoding="ascii").splitlines() for each in (parent, *children)]
    except OSError:
        return None
    return sum(int(line.split()[1]) * 1024 for each in lines for line in each if line.startswith("Pss:"))


def one_client(driver: str, where: str, count: int) -> dict:
    command = [str(PYTHON), "-B", str(CLIENT), driver, where, str(count)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=RUN_SECONDS)
    except subprocess.TimeoutExpired:
        raise Broken(f"> cap: the client takes more than {RUN_SECONDS} s") from None
    if done.returncode:
        raise Broken(f"the client fails: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    return json.loads(done.stdout)


class Ways:
    """What clients connect to; a server is started with the first engine that needs it."""

    def __init__(self, stack: ExitStack, directory: Path):
        self.stack, self.directory = stack, directory
        self.served: int | None = None
        self.postgres: int | None = None

    def to(self, kind: str) -> Way:
        if not kind:
            return Way(str(self.directory / "direct.db"))
        by, host = kind.removeprefix("postgres-"), "127.0.0.1"
        if kind.startswith("postgres"):
            self.postgres = self.postgres or self.stack.enter_context(postgres(self.directory / "postgres"))
            port, words, server, sockets = PORT + 1, "dbname=postgres user=root", self.postgres, "postgres"
        else:
            self.served = self.served or self.stack.enter_context(serve(self.directory / "served"))
            port, words, server, sockets = PORT, "dbname=bench user=local", self.served, "served"
        if by not in ("tcp", "tls"):
            host = self.directory / sockets
        return Way(f"host={host} port={port} {words} sslmode={'require' if by == 'tls' else 'disable'}", server)


def certificate(directory: Path) -> tuple[Path, Path]:
    """One that nobody vouches for, made now."""
    cert, key = directory / "server.crt", directory / "server.key"
    if shutil.which("openssl"):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-keyout", key, "-out", cert], check=True, capture_output=True)  # fmt: skip
    return cert, key


@contextmanager
def serve(directory: Path) -> Iterator[int]:
    directory.mkdir()
    subprocess.run([ROOT / "target/native-reference/sqlite3", directory / "bench.db", "PRAGMA journal_mode=WAL;"], check=True, capture_output=True)
    command = [str(SERVER), str(directory / "bench.db"), "--http", "127.0.0.1:0", "--pg", f"127.0.0.1:{PORT}", "--unix", str(directory)]
    cert, key = certificate(directory)
    if cert.exists():
        command += ["--tls-cert", str(cert), "--tls-key", str(key)]
    with started(command, directory, PORT) as server:
        yield server


@contextmanager
def postgres(directory: Path) -> Iterator[int]:
    """A cluster of its own; as root it runs as the user `postgres`."""
    directory.mkdir()
    prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] if os.geteuid() == 0 else []
    for above in (directory, *directory.parents):
        # Its user must be able to enter.
        if prefix and above.is_relative_to(ROOT / "target"):
            above.chmod(above.stat().st_mode | 0o011)
    options = ["-D", directory / "data", "-k", directory, "-p", str(PORT + 1), "-c", "listen_addresses=127.0.0.1"]
    cert, key = certificate(directory)
    if cert.exists():
        options += ["-c", "ssl=on", "-c", f"ssl_cert_file={cert}", "-c", f"ssl_key_file={key}"]
    if prefix:
        for each in (directory, *directory.iterdir()):
            shutil.chown(each, "postgres")
    made = subprocess.run([*prefix, POSTGRES / "initdb", "-D", directory / "data", "-A", "trust", "-U", "root"], capture_output=True, text=True, check=False)
    if made.returncode:
        raise Broken(f"not available: initdb: {made.stderr.strip().splitlines()[-1]}")
    with started([*prefix, POSTGRES / "postgres", *options], directory, PORT + 1) as server:
        yield server


@contextmanager
def started(command: list, directory: Path, port: int) -> Iterator[int]:
    """A server, from when its socket is there; its process."""
    with (directory / "log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as server:
        try:
            wait_for(directory / f".s.PGSQL.{port}", server, directory / "log")
            yield server.pid
        finally:
            server.terminate()


def wait_for(socket: Path, server: subprocess.Popen, log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while not socket.exists():
        if server.poll() is not None or time.monotonic() > end:
            lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or ["no message"]
            raise Broken(f"the server does not start: {lines[-1]}")
        time.sleep(0.05)
    time.sleep(0.2)


def version(name: str) -> str:
    if name.startswith("postgres"):
        return output_of([str(POSTGRES / "postgres"), "--version"]) if (POSTGRES / "postgres").exists() else "none"
    if name == REFERENCE:
        return output_of([str(PYTHON), "-c", "import apsw; print('apsw', apsw.apsw_version())"]) if PYTHON.exists() else "none"
    return output_of([str(SERVER), "--version"]).split("\n")[0]
