"""Envelope v1: what one suite measured in one run, in one file of a record.

`figures` are limits that a suite judges, `workloads` is what exactly was executed, `samples` has a
row for each workload, size and engine. Other versions, and files that break a rule below, are
refused with a message that names the place.
"""

import json
import os
import platform
from pathlib import Path
from statistics import fmean, median, pstdev

from .confidence import interval, is_noisy
from .engines import REFERENCE, ROOT
from .spread import ratios

VERSION = 1

NUMBER = (int, float)
OPTIONAL = (int, float, type(None))
TEXT = (str, type(None))

TOP = {
    "schema_version": int, "suite": str, "profile": str, "run_started_at": str, "run_duration_s": NUMBER, "host": dict,
    "commit": dict, "objections": list, "engines": dict, "workloads": dict, "samples": list, "figures": list,
}  # fmt: skip
HOST = {"cpu": str, "cpus": int, "ram_mib": int, "os_kind": str, "os_release": str, "arch": str, "filesystem": str}
COMMIT = {"sha": str, "branch": str, "dirty": bool}
ENGINE = {"version": str, "sqlite": TEXT, "via": str}
SAMPLE = {
    "workload": str, "engine": str, "n": int, "unit": str, "samples": int, "skipped": TEXT, "noisy": bool, "check": TEXT,
    "raw": list, "median_ns": OPTIONAL, "ci95_lower_ns": OPTIONAL, "ci95_upper_ns": OPTIONAL, "mean_ns": OPTIONAL,
    "std_dev_ns": OPTIONAL, "ops_per_s": OPTIONAL, "ratio_to_ref": (list, type(None)),
}  # fmt: skip
MEASURES = {
    "p50_ns": OPTIONAL, "p95_ns": OPTIONAL, "p99_ns": OPTIONAL, "p999_ns": OPTIONAL, "max_ns": OPTIONAL, "rows_per_s": OPTIONAL,
    "peak_bytes": OPTIONAL, "db_bytes": OPTIONAL, "vacuumed_bytes": OPTIONAL, "raw_bytes": OPTIONAL, "syncs": OPTIONAL,
    "recall": OPTIONAL, "clock_ns": OPTIONAL, "wire_bytes": OPTIONAL, "program_bytes": OPTIONAL,
    "faults": OPTIONAL, "instructions": OPTIONAL,
}  # fmt: skip
"""What not every way can measure."""


class Unusable(Exception):
    """A file that is no envelope of this version."""


def sample(workload: str, engine: str, n: int, runs: list[float], reference: list[float], **more) -> dict:
    """A row; `runs` are the nanoseconds of an operation in each run, next to those of the reference.

    A peer may have had the first runs only."""
    low, high = interval(runs)
    found = ratios(runs, reference[: len(runs)]) if len(runs) <= len(reference) else []
    return {
        "workload": workload, "engine": engine, "n": n, "unit": "operation", "samples": len(runs), "skipped": None,
        "noisy": is_noisy(runs), "check": None, "raw": [round(run, 1) for run in runs], "median_ns": median(runs),
        "ci95_lower_ns": low, "ci95_upper_ns": high, "mean_ns": fmean(runs), "std_dev_ns": pstdev(runs),
        "ops_per_s": 1e9 / median(runs), "ratio_to_ref": [median(found), *interval(found)] if found else None, **more,
    }  # fmt: skip


def skipped(workload: str, engine: str, n: int, reason: str) -> dict:
    """A row without numbers."""
    empty = {name: None for name, kind in SAMPLE.items() if kind is OPTIONAL}
    return {"workload": workload, "engine": engine, "n": n, "unit": "operation", "samples": 0, "skipped": reason, "noisy": False,
            "check": None, "raw": [], "ratio_to_ref": None, **empty}  # fmt: skip


def problems(found: object) -> list[str]:
    """Where an envelope breaks the schema."""
    if not isinstance(found, dict) or "schema_version" not in found:
        return ["this is no envelope: it has no `schema_version`"]
    if found["schema_version"] != VERSION:
        return [f"`schema_version` is {found['schema_version']!r}; this program reads version {VERSION}"]
    wrong = mistakes("", found, TOP)
    if wrong:
        return wrong
    wrong = mistakes("host.", found["host"], HOST) + mistakes("commit.", found["commit"], COMMIT)
    for name, about in found["engines"].items():
        wrong += mistakes(f"engines.{name}.", about, ENGINE)
    seen = set()
    for place, row in enumerate(found["samples"]):
        wrong += row_problems(f"samples[{place}].", row, found, seen)
    return wrong


def row_problems(place: str, row: object, found: dict, seen: set) -> list[str]:
    wrong = mistakes(place, row, SAMPLE)
    if wrong:
        return wrong
    wrong = [f"{place}{name}: the schema does not know it" for name in row if name not in SAMPLE and name not in MEASURES]
    wrong += mistakes(place, row, {name: kind for name, kind in MEASURES.items() if name in row})
    if row["engine"] not in found["engines"]:
        wrong.append(f"{place}engine: `{row['engine']}` is none of `engines`")
    if row["workload"] not in found["workloads"]:
        wrong.append(f"{place}workload: `{row['workload']}` is none of `workloads`")
    if bool(row["skipped"]) == (row["median_ns"] is not None):
        wrong.append(f"{place}skipped: a row has either a number or a reason")
    if row["samples"] != len(row["raw"]):
        wrong.append(f"{place}raw: {len(row['raw'])} runs, `samples` is {row['samples']}")
    key = row["workload"], row["n"], row["engine"]
    if key in seen:
        wrong.append(f"{place}workload: {' '.join(map(str, key))} is there twice")
    seen.add(key)
    return wrong


def mistakes(place: str, found: object, fields: dict) -> list[str]:
    if not isinstance(found, dict):
        return [f"{place.rstrip('.')}: not an object"]
    wrong = [f"{place}{name}: missing" for name in fields if name not in found]
    kinds = ((name, kind) for name, kind in fields.items() if name in found)
    return wrong + [f"{place}{name}: {found[name]!r:.60} is of the wrong type" for name, kind in kinds if not fits(found[name], kind)]


def fits(value: object, kind: type | tuple) -> bool:
    # For Python, True is a number.
    return isinstance(value, kind) and (not isinstance(value, bool) or kind is bool)


def load(path: Path) -> dict:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
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
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=False) + "\n", encoding="utf-8")


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
