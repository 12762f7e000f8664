"""Workloads with an extension: loaded or embedded in our shell, the same in C in the reference."""

import subprocess
from pathlib import Path

from .engines import REFERENCE, ROOT, RUNNER, SUBJECT, Engine
from .workloads import Workload

CLI = ROOT / "target/release/cli.wasm"
EXTENSIONS = ROOT / "target/release/extensions"
DIRECTORIES = (EXTENSIONS, ROOT / "target/release/guests")
NATIVE = ROOT / "target/native-reference"


class Programs:
    """Composed programs, in a directory that their user removes."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def compose(self, extensions: tuple[str, ...], *options: str) -> Path:
        """The program with these extensions, compiled if that is an option."""
        output = self.directory / "composed.wasm"
        paths = ",".join(str(located(name)) for name in extensions)
        command = [str(ROOT / RUNNER), "compose", "--force", "--cli", str(CLI), "--embed", paths, "-o", str(output), *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return output.with_suffix(".cwasm")

    def compiled(self, extensions: tuple[str, ...]) -> list[str]:
        """The command that runs them."""
        kept = self.directory / f"{'-'.join(extensions)}.cwasm"
        if not kept.exists():
            self.compose(extensions, "--precompile").rename(kept)
        return [str(ROOT / RUNNER), str(kept)]


class Placements:
    """The commands of engines, and the programs that were composed for them."""

    def __init__(self, directory: Path):
        self.programs = Programs(directory)

    def lack(self, engine: Engine, workload: Workload) -> str:
        """Why an engine cannot do a workload; empty if it can."""
        if engine.peer and (workload.writer or (workload.setup and workload.keeps_database)):
            return "not a script of the reference: its own processes and a large file"
        if workload.compiles and engine.name not in (REFERENCE, "wasm"):
            return "compiles nothing when it starts"
        if not workload.extension or engine.name == REFERENCE:
            return ""
        if engine.native or engine.peer or (workload.embedded and engine.name != SUBJECT):
            return f"has no {workload.extension}" + (" embedded" if workload.embedded else "")
        return "" if located(workload.extension) else f"missing `{workload.extension}.wasm`: run `make guests`"

    def command(self, engine: Engine, workload: Workload) -> list[str]:
        if engine.name == REFERENCE and workload.native:
            return [*engine.argv(), "-cmd", f".load {NATIVE / workload.native}"]
        if workload.compiles and not engine.native:
            runner, *rest = engine.argv()
            return [runner, "--no-cache", *rest]
        file = located(workload.extension)
        if engine.native or file is None:
            return engine.argv()
        if workload.embedded:
            return self.programs.compiled((workload.extension,))
        return [*engine.argv(), "--extension-dir", str(file.parent), "--load", workload.extension]

    def program_bytes(self, engine: Engine, workload: Workload) -> int | None:
        """The size of what an engine starts: ours by their component, others by their program; none of a peer's script."""
        if engine.peer:
            return None
        files = [Path(word) for word in self.command(engine, workload) if Path(word).is_file()]
        return files[-1].stat().st_size


def located(extension: str) -> Path | None:
    paths = (directory / f"{extension}.wasm" for directory in DIRECTORIES)
    return next((path for path in paths if path.is_file()), None)
