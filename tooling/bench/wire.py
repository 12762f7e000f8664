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
from statistics import fmean, median
from typing import NamedTuple

from .catalogue import pgsqlite
from .catalogue.loop import SMOKE
from .engines import REFERENCE, ROOT, output_of
from .envelope import sample, skipped
from .players import ADAPTERS, PYTHON

SUITE = "pgsqlite"
SERVER = ROOT / "target/release/sqlite-wasm-serve"
CLIENT = ADAPTERS / "wire_client.py"
POSTGRES = Path("/usr/lib/postgresql/15/bin")

START_SECONDS = 20
RUN_SECONDS = 300
PORT = 54_320
"""Of loopback; PostgreSQL has the next one."""

# The driver and the way to the server.
ENGINES = {
    REFERENCE: (pgsqlite.DIRECT, "", "apsw, SQLite in the client's process, WAL"),
    "serve": (pgsqlite.EXTENDED, "unix", "psycopg 3, extended protocol, Unix socket"),
    "serve-tcp": (pgsqlite.EXTENDED, "tcp", "psycopg 3, extended protocol, TCP"),
    "serve-simple": (pgsqlite.SIMPLE, "unix", "psycopg 3, simple protocol, Unix socket"),
    "serve-psycopg2": (pgsqlite.OLDER, "unix", "psycopg2, simple protocol, Unix socket"),
    "serve-tls": (pgsqlite.EXTENDED, "tls", "psycopg 3, extended protocol, TCP by TLS"),
    "postgres": (pgsqlite.EXTENDED, "postgres", "psycopg 3, extended protocol, Unix socket"),
    "postgres-tls": (pgsqlite.EXTENDED, "postgres-tls", "psycopg 3, extended protocol, TCP by TLS"),
}


Run = dict[tuple[str, int], dict]
"""What a client has measured, by workload and size."""


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
        runs = alternating(ways, reasons, profile, repeats, progress)
    failures = [f"{SUITE}, {name}: {reason}" for name, reason in reasons.items()
                if reason and name.startswith("serve") and not reason.startswith("not available")]  # fmt: skip
    rows = list(samples(runs, reasons, profile))
    engines = {name: {"version": version(name), "sqlite": None, "via": via} for name, (_, _, via) in ENGINES.items()}
    return rows, dict(workloads(runs, profile)), failures, engines


def alternating(ways: dict, reasons: dict, profile: str, repeats: int, progress: Callable) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {name: [] for name in ways}
    for number in range(repeats):
        for name in list(ways)[:: -1 if number % 2 else 1]:
            progress(f"{SUITE}: run {number + 1} of {repeats}, {name}")
            try:
                if not reasons[name]:
                    runs[name].append(client(ENGINES[name][0], ways[name], profile))
            except Broken as problem:
                reasons[name] = str(problem)
    return {name: each for name, each in runs.items() if not reasons[name]}


def samples(runs: dict[str, list[Run]], reasons: dict[str, str], profile: str) -> Iterator[dict]:
    for name, workload in pgsqlite.WORKLOADS.items():
        for size in workload.sizes[profile]:
            found = {engine: [run[name, size] for run in each if (name, size) in run] for engine, each in runs.items()}
            for engine in engines_of(workload):
                yield row(f"{SUITE}/{workload.id}", engine, size, found, reasons[engine])


def engines_of(workload: pgsqlite.Workload) -> list[str]:
    """Those whose driver and way can execute it."""
    return [name for name, (driver, way, _) in ENGINES.items()
            if driver in workload.drivers and (way.endswith("tls") or not workload.by_tls)]  # fmt: skip


def row(title: str, engine: str, size: int, found: dict[str, list[dict]], reason: str) -> dict:
    own, reference = found.get(engine), found.get(REFERENCE, [])
    answer = reference[0]["answers"] if reference else None
    if not own:
        return skipped(title, engine, size, reason or "the client did not do it")
    if answer and any(each["answers"] != answer for each in own):
        return skipped(title, engine, size, "gate: another answer than SQLite in the client")
    times = [time for each in own for time in each["times"]]
    return sample(title, engine, size, means(own), means(reference), check=answer, **percentiles(times), **measures(own))


def means(found: list[dict]) -> list[float]:
    """Of the operations of each run, as in loops and in the reference; percentiles are of all runs together."""
    return [fmean(each["times"]) for each in found]


def workloads(runs: dict[str, list[Run]], profile: str) -> Iterator[tuple[str, dict]]:
    """What was executed."""
    for name, workload in pgsqlite.WORKLOADS.items():
        sizes = workload.sizes[profile]
        yield f"{SUITE}/{workload.id}", {
            "about": workload.about, "rows": sizes[0], "sizes": sizes, "way": "wire",
            "timed": "execute and fetch of all rows, by the clock of the client; a run is the mean of its operations",
            "client": "tooling/bench/peers/wire_client.py", "run": f"tooling/bench/run --suites {SUITE} --profile {profile}",
            "pragmas_of_ref": pgsqlite.PRAGMAS, "keys": pgsqlite.KEYS, "schema": workload.schema,
            "statements": [{"sql": sql} for sql in workload.statements],
            "scripts_sha256": {str(size): {"operations": digest} for size in sizes for digest in executed(runs, name, size) if workload.statements},
        }  # fmt: skip


def executed(runs: dict[str, list[Run]], name: str, size: int) -> list[str]:
    """The digest of the statements and values of a run; all engines have the same."""
    return [run[name, size]["executed"] for each in runs.values() for run in each if (name, size) in run][:1]


def measures(found: list[dict]) -> dict:
    """What is not a time: bytes."""
    values = {name: [each[name] for each in found if each.get(name) is not None] for name in ("wire_bytes", "peak_bytes")}
    return {name: median(each) for name, each in values.items() if each}


def percentiles(times: list[float]) -> dict:
    ordered = sorted(times)
    at = {
        name: ordered[min(int(part * len(ordered)), len(ordered) - 1)]
        for name, part in (("p50_ns", 0.5), ("p95_ns", 0.95), ("p99_ns", 0.99))
    }
    return {**at, "max_ns": ordered[-1]}


def client(driver: str, where: Way, profile: str) -> Run:
    found = {(each["workload"], each["size"]): each for each in answer_of(driver, where.words, profile)}
    found["message", pgsqlite.USERS]["peak_bytes"] = memory(where.server) if where.server else None
    return found


def memory(parent: int) -> int | None:
    """Of a process and its children: their own pages, and their share of common ones."""
    children = lines_of(Path(f"/proc/{parent}/task/{parent}/children"))
    processes = [parent, *" ".join(children).split()]
    lines = [line for each in processes for line in lines_of(Path(f"/proc/{each}/smaps_rollup"))]
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")) or None


def lines_of(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").splitlines()
    except OSError:
        # PostgreSQL has a process for each client, which may have ended.
        return []


def answer_of(driver: str, where: str, profile: str) -> list[dict]:
    command = [str(PYTHON), "-B", str(CLIENT), driver, where, profile]
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
            host = str(self.directory / sockets)
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
    subprocess.run(
        [ROOT / "target/native-reference/sqlite3", directory / "bench.db", "PRAGMA journal_mode=WAL;"], check=True, capture_output=True
    )
    command = [str(SERVER), str(directory / "bench.db"), "--http", "127.0.0.1:0", "--pg", f"127.0.0.1:{PORT}", "--unix", str(directory)]
    cert, key = certificate(directory)
    if cert.exists():
        command += ["--tls-cert", str(cert), "--tls-key", str(key)]
    with started(command, directory, PORT) as server:
        yield server


@contextmanager
def postgres(directory: Path) -> Iterator[int]:
    """A separate cluster; as root it runs as the user `postgres`."""
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
    made = subprocess.run(
        [*prefix, POSTGRES / "initdb", "-D", directory / "data", "-A", "trust", "-U", "root"], capture_output=True, text=True, check=False
    )
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
