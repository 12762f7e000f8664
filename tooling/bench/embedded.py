"""Extensions in the CLI: what a call, a row, composing and a start cost."""

import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from .engines import ROOT, RUNNER

CLI = ROOT / "dist/cli.wasm"
PLAIN = ROOT / "dist/cli.cwasm"
EXTENSIONS = ROOT / "dist/extensions"

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
        program = self.compose(extensions, "--precompile")
        kept = program.rename(program.with_name("-".join(extensions) + ".cwasm"))
        return [str(ROOT / RUNNER), str(kept)]


def compose_s(programs: Programs, repeats: int) -> float:
    """Seconds to compose one extension, without compiling."""
    programs.compose(MEASURED[1:])
    return median(seconds(lambda: programs.compose(MEASURED[1:])) for _ in range(repeats))


def start_ratio(programs: Programs, repeats: int) -> float:
    """A start with eleven extensions, by a plain one."""
    composed, plain = programs.compiled(STARTED), [str(ROOT / RUNNER), str(PLAIN)]
    times: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(STARTS * repeats):
        for is_composed, command in ((True, composed), (False, plain)):
            times[is_composed].append(seconds(lambda: start(command)))
    return median(times[True]) / median(times[False])


def start(command: list[str]) -> None:
    subprocess.run([*command, ":memory:", "SELECT 1"], check=True, stdout=subprocess.DEVNULL)


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun
