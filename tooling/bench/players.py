"""Who plays tapes: ours, the native reference, and peers in an environment of their own.

A player is called with a mode (setup, check, time) and a database, reads a tape on stdin and
answers with a line of JSON, as `components/sqlite/bench-loop` does.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from .catalogue.loop import SQLITE
from .engines import REFERENCE, ROOT, RUNNER, SUBJECT, output_of

NATIVE = ROOT / "target/bench-loop/native"
COMPONENT = ROOT / "target/bench-loop/loop.cwasm"
EMBEDDED = {name: ROOT / f"target/bench-loop/loop-{name}.cwasm" for name in ("vec0", "ann")}
"""The component with an extension."""
NATIVE_VEC0 = ROOT / "target/c-sources/vec0.so"
CRATE_COMPONENT = ROOT / "target/release/database.cwasm"
ENVIRONMENT = ROOT / "target/bench-peers"
ADAPTERS = Path(__file__).parent / "peers"

CRATE = "crate"


@dataclass(frozen=True)
class Player:
    name: str
    command: tuple[str, ...]
    via: str
    """The way from a program to the engine, for the record."""
    dialect: str = SQLITE
    peer: bool = False
    approximate: bool = False
    """It has no SQL or ranks in another way: a recall stands for equal answers."""
    in_memory: bool = False
    """Its runs leave no database."""
    extensions: tuple[str, ...] = ()
    needs: tuple[Path, ...] = ()
    remedy: str = "tooling/bench/build"

    def argv(self, directory: Path, extension: str) -> list[str]:
        if self.name == SUBJECT:
            component = EMBEDDED[extension] if extension else COMPONENT
            return [str(ROOT / RUNNER), "--dir", str(directory), str(component)]
        words = [*self.command]
        return ["/usr/bin/env", f"BENCH_EXTENSION={NATIVE_VEC0}", *words] if extension and self.name == REFERENCE else words

    def missing(self, extension: str) -> str:
        """Why this engine cannot play; empty if it can."""
        if not self.has(extension):
            return f"has no {extension}"
        needed = [*self.needs, *({REFERENCE: [NATIVE_VEC0], SUBJECT: [EMBEDDED[extension]]}.get(self.name, []) if extension else [])]
        absent = [path for path in needed if not path.exists()]
        return f"missing `{absent[0].relative_to(ROOT)}`: run `{self.remedy}`" if absent else ""

    def has(self, extension: str) -> bool:
        return self.peer or not extension or extension in self.extensions

    def version(self) -> dict:
        if self.name in (REFERENCE, SUBJECT, CRATE):
            sqlite = output_of([str(ROOT / "target/native-reference/sqlite3"), ":memory:", "SELECT sqlite_version();"])
            version = sqlite if self.name == REFERENCE else output_of([str(ROOT / RUNNER), "--version"]).split("\n")[0]
            return {"version": version, "sqlite": sqlite, "via": self.via}
        if self.missing(""):
            return {"version": "not installed", "sqlite": None, "via": self.via}
        words = output_of([*self.command, "version"]).split()
        return {"version": words[0] if words else "unknown", "sqlite": words[1] if len(words) > 1 else None, "via": self.via}


PYTHON = ENVIRONMENT / "python/bin/python"
NODE = ENVIRONMENT / "node_modules"
GO = ENVIRONMENT / "go-player"


APPROXIMATE = ("usearch", "usearch-hnsw", "tantivy", "lancedb", "chromadb", "sqlrite-words", "turso-words")


def python_peer(name: str, dialect: str = SQLITE) -> Player:
    command = (str(PYTHON), "-I", str(ADAPTERS / "player.py"), name)
    return Player(
        name,
        command,
        "Python: its own cost is that of apsw",
        dialect,
        True,
        name in APPROXIMATE,
        needs=(PYTHON,),
        remedy="make bench-peers",
    )


def node_peer(name: str, in_memory: bool = False) -> Player:
    command, via = ("node", str(ADAPTERS / "player.mjs"), name), "Node; the database is in memory" if in_memory else "Node"
    return Player(name, command, via, SQLITE, True, in_memory=in_memory, needs=(NODE / name,), remedy="make bench-peers")


# The subject next to the reference, since they run in this order.
PLAYERS = (
    Player(REFERENCE, (str(NATIVE),), "rusqlite, native", extensions=("vec0",), needs=(NATIVE,)),
    Player(SUBJECT, (), "rusqlite, in the sandbox; vec0 and ann are embedded", extensions=("vec0", "ann"), needs=(COMPONENT,)),
    Player(
        CRATE, (str(NATIVE), "--crate", str(CRATE_COMPONENT)), "crate sqlite-sandbox: each call crosses", needs=(NATIVE, CRATE_COMPONENT)
    ),
    python_peer("apsw"),
    python_peer("duckdb", "duckdb"),
    python_peer("turso", "turso"),
    python_peer("turso-words", "turso"),
    python_peer("sqlrite", "sqlrite"),
    python_peer("sqlrite-words", "sqlrite"),
    python_peer("sochdb", "sochdb"),
    python_peer("usearch", "usearch"),
    python_peer("usearch-hnsw", "usearch"),
    python_peer("libsql", "libsql"),
    python_peer("lancedb", "lancedb"),
    python_peer("chromadb", "chromadb"),
    python_peer("tantivy", "tantivy"),
    node_peer("node-sqlite3-wasm"),
    node_peer("sql.js", in_memory=True),
    Player("go-sqlite3", (str(GO),), "Go, wasm by wazero", SQLITE, True, needs=(GO,), remedy="make bench-peers"),
)


def has_crate() -> bool:
    """Whether the native player was built with the crate sqlite-sandbox in it."""
    if not NATIVE.exists():
        return False
    asked = subprocess.run([NATIVE, "--crate", "none", "setup", "/dev/null"], capture_output=True, text=True,
                           input='{"settings":[],"statements":[],"block":1}\n', check=False)  # fmt: skip
    return "feature" not in asked.stderr


def default_names(peers: bool) -> list[str]:
    return [each.name for each in PLAYERS if (peers or not each.peer) and (each.name != CRATE or has_crate())]


def player(name: str) -> Player:
    return next(each for each in PLAYERS if each.name == name)
