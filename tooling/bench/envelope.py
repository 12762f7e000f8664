"""Envelope v2: what one suite measured in one run, in one file of a record; `schema.py` has its rules."""

import json
import os
import platform
from pathlib import Path

from .engines import REFERENCE, ROOT
from .schema import problems
from .stored import derived, digits, nothing, restored, text


class Unusable(Exception):
    """A file that is not an envelope of this version."""


def sample(workload: str, engine: str, n: int, runs: list[float], reference: list[float], **more) -> dict:
    """A row; `runs` are the nanoseconds of an operation in each run, next to those of the reference."""
    raw = [digits(run) for run in runs]
    found = derived(raw, [digits(run) for run in reference])
    measured = {name: digits(value) for name, value in more.items()}
    return {"workload": workload, "engine": engine, "n": n, "raw": raw, **found, **measured}


def skipped(workload: str, engine: str, n: int, reason: str) -> dict:
    """A row without results."""
    return {"workload": workload, "engine": engine, "n": n, "skipped": reason, **nothing()}


def load(path: Path) -> dict:
    try:
        found = restored(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as problem:
        raise Unusable(f"{path}: {problem}") from None
    if wrong := problems(found):
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise Unusable(f"{path}: {wrong[0]}{more}")
    return found


def load_record(path: Path) -> list[dict]:
    """The envelopes of a directory, or that of one file."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise Unusable(f"{path}: no envelope is in this directory")
    return [load(file) for file in files]


def save(path: Path, found: dict) -> None:
    if wrong := problems(found):
        raise Unusable(f"{path}: {wrong[0]}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text(found), encoding="utf-8")


def host() -> dict:
    """What figures depend on; nothing that identifies the owner of the machine."""
    return {
        "cpu": cpu_model(), "cpus": os.cpu_count() or 0, "ram_mib": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20,
        "os_kind": platform.system(), "os_release": platform.release(), "arch": platform.machine(), "filesystem": filesystem(),
    }  # fmt: skip


def cpu_model() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown CPU"


def filesystem() -> str:
    """That of the databases: the longest mount point above them."""
    try:
        with open("/proc/mounts", encoding="utf-8") as lines:
            mounts = [line.split()[1:3] for line in lines]
    except OSError:
        return "unknown"
    above = [(point, kind) for point, kind in mounts if ROOT.is_relative_to(point)]
    return max(above, key=lambda mount: len(mount[0]))[1] if above else "unknown"


def commit(text: str, branch: str) -> dict:
    """Of `conditions.commit()`."""
    sha, _, changes = text.partition(" ")
    return {"sha": sha, "branch": branch, "dirty": bool(changes) or sha == "none"}


def same_host(one: dict, other: dict) -> bool:
    return all(one["host"][name] == other["host"][name] for name in ("cpu", "cpus", "arch", "os_kind"))


def rows_by_key(envelopes: list[dict]) -> dict[tuple, dict]:
    return {(row["workload"], row["n"], row["engine"]): row for found in envelopes for row in found["samples"]}


def is_reference(row: dict) -> bool:
    return row["engine"] == REFERENCE
