"""The engines that are compared, what they need, and their versions."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

RUNNER = "target/release/sqlite-wasm-run"
REFERENCE = "ref"
"""The native engine that prepares databases, and that the figures refer to."""


@dataclass(frozen=True)
class Engine:
    """A program that takes a database and a script on stdin."""

    name: str
    command: tuple[str, ...]
    """A word with a slash is a file of the repository, another one a program of the system."""
    remedy: str
    native: bool
    options: tuple[str, ...] = ()
    """Words that name no program."""
    peer: bool = False
    """Not of this project: what it cannot do is said, and ends no run."""

    older: bool = False
    """The system's SQLite: it may lack functions, which is said and ends no run either."""

    def may_fail(self) -> bool:
        return self.peer or self.older

    def argv(self) -> list[str]:
        return [*self.programs(), *self.options]

    def programs(self) -> list[str]:
        return [str(ROOT / word) if "/" in word else shutil.which(word) or word for word in self.command]

    def missing(self) -> list[str]:
        return [word for word, path in zip(self.command, self.programs()) if not Path(path).is_file()]


SUBJECT = "cwasm"
"""The engine that the figures speak of."""

# The reference next to what is compared with it, since they run in this order.
ENGINES = (
    Engine("sqlite3", ("sqlite3",), "apt-get install sqlite3", native=True, older=True),
    Engine("wasm", (RUNNER, "target/release/cli.wasm"), "make build", native=False),
    Engine(REFERENCE, ("target/native-reference/sqlite3",), "make native-reference", native=True),
    Engine(SUBJECT, (RUNNER, "target/release/cli.cwasm"), "make build", native=False),
    *(
        Engine(name, ("node", "tooling/bench/peers/player.mjs"), "make bench-peers", native=False, options=(name, "shell"), peer=True)
        for name in ("node-sqlite3-wasm", "sql.js")
    ),
    Engine("go-sqlite3", ("target/bench-peers/go-player",), "make bench-peers", native=False, options=("shell",), peer=True),
)


def engine(name: str) -> Engine:
    return next(each for each in ENGINES if each.name == name)


def default_names(peers: bool = False) -> list[str]:
    """All of this project; with CWASM=1, of ours only the precompiled one."""
    only_cwasm = os.environ.get("CWASM", "") not in ("", "0")
    return [each.name for each in ENGINES if (peers or not each.peer) and not (only_cwasm and each.name == "wasm")]


def complaint_about_missing(engines: list[Engine]) -> str:
    """One line that says what lacks and how it is made; empty if all is there."""
    lacks: dict[str, list[str]] = {}
    for each in engines:
        words = lacks.setdefault(each.remedy, [])
        words += (word for word in each.missing() if word not in words)
    return "; ".join(f"missing {', '.join(f'`{word}`' for word in words)}: run `{remedy}`" for remedy, words in lacks.items() if words)


def version(each: Engine) -> str:
    """Version of SQLite, and for ours what the runner says about itself."""
    if each.peer:
        return output_of([*each.programs(), *each.options[:-1], "version"])
    answer = output_of([*each.argv(), ":memory:", "SELECT sqlite_version();"])
    if each.native:
        return f"SQLite {answer}"
    runner = " ".join(output_of([each.argv()[0], "--version"]).split())
    return f"SQLite {answer} ({runner})"


def output_of(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return done.stdout.strip() or "unknown version"
