"""Extensions in the CLI: what a call, a row, composing and a start cost."""

import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

from .engines import ROOT, RUNNER
from .figures import Figure

CLI = ROOT / "target/release/cli.wasm"
PLAIN = ROOT / "target/release/cli.cwasm"
EXTENSIONS = ROOT / "target/release/extensions"

MEASURED = ("sha3", "series")
"""Those whose calls are timed."""

STARTED = ("crypto", "define", "fuzzy", "ipaddr", "regexp", "series", "sha3", "stats", "text", "uuid", "vec0")
"""All that are shipped but `csv`, which needs a directory, and `sha3query`."""

STARTS = 20
"""Starts of each program for one repeat."""


class Programs:
    """Composed programs in a directory that goes away."""

    def __init__(self) -> None:
        # Below `target/`, on the disk of the repository.
        self.directory = tempfile.TemporaryDirectory(dir=ROOT / "target")

    def __enter__(self) -> "Programs":
        return self

    def __exit__(self, *_) -> None:
        self.directory.cleanup()

    def compose(self, extensions: tuple[str, ...], *options: str) -> Path:
        """The program with these extensions, compiled if that is an option."""
        output = Path(self.directory.name) / "composed.wasm"
        paths = ",".join(str(EXTENSIONS / f"{name}.wasm") for name in extensions)
        command = [ROOT / RUNNER, "compose", "--force", "--cli", CLI, "--embed", paths, "-o", output, *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return output.with_suffix(".cwasm")

    def compiled(self, extensions: tuple[str, ...]) -> list[str]:
        """The command that runs them."""
        kept = Path(self.directory.name) / f"{'-'.join(extensions)}.cwasm"
        if not kept.exists():
            self.compose(extensions, "--precompile").rename(kept)
        return [str(ROOT / RUNNER), str(kept)]


def figures(programs: Programs) -> list[tuple[Figure, float]]:
    """What composing takes, and a start with eleven extensions by a plain one."""
    begun = time.perf_counter()
    programs.compose(MEASURED[1:])
    compose = time.perf_counter() - begun
    composed, plain = (
        [*command, ":memory:", "SELECT 1"] for command in (programs.compiled(STARTED), [str(ROOT / RUNNER), str(PLAIN)])
    )
    start = median(seconds_of(composed) / seconds_of(plain) for _ in range(STARTS))
    return [
        (Figure("to compose one extension", "s", must=1, aim=0.2), compose),
        (Figure("a start with eleven embedded by the plain one", must=1.15, aim=1.05), start),
    ]


def seconds_of(command: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun
