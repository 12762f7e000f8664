"""The rules of envelope v2, as it is when it was read: `stored.py` has the shorter form of a file.

`figures` are limits that a suite judges, `workloads` is what exactly was executed, `samples` has a
row for each workload, size and engine. Other versions, and files that break a rule below, are
refused with a message that names the place.
"""

from collections.abc import Iterator
from math import isfinite
from typing import Any

VERSION = 2

PROFILES = ("smoke", "small", "full")

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
WORKLOAD = {"about": str, "rows": int, "way": str}
"""At least; each way adds what it executes."""
FIGURE = {
    "title": str, "unit": str, "must": OPTIONAL, "aim": OPTIONAL, "larger_is_better": bool, "value": NUMBER, "low": NUMBER,
    "high": NUMBER, "mark": str,
}  # fmt: skip

TIMES = dict.fromkeys(("median_ns", "ci95_lower_ns", "ci95_upper_ns", "mean_ns", "std_dev_ns", "ops_per_s"), OPTIONAL)
"""What is null in a row without a result."""
SAMPLE = {
    "workload": str, "engine": str, "n": int, "unit": str, "samples": int, "skipped": TEXT, "noisy": bool, "check": TEXT,
    "raw": list, "ratio_to_ref": (list, type(None)), **TIMES,
}  # fmt: skip
MEASURES = {
    "p50_ns": OPTIONAL, "p95_ns": OPTIONAL, "p99_ns": OPTIONAL, "p999_ns": OPTIONAL, "max_ns": OPTIONAL, "rows_per_s": OPTIONAL,
    "peak_bytes": OPTIONAL, "db_bytes": OPTIONAL, "vacuumed_bytes": OPTIONAL, "raw_bytes": OPTIONAL, "syncs": OPTIONAL,
    "recall": OPTIONAL, "clock_ns": OPTIONAL, "wire_bytes": OPTIONAL, "program_bytes": OPTIONAL,
    "faults": OPTIONAL, "instructions": OPTIONAL, "setup_ns": OPTIONAL, "ratio_to_exact": OPTIONAL,
}  # fmt: skip
"""What not every way can measure. `peak_bytes` of a loop is that of a player, which holds all that it will play;
`setup_ns` is of one set-up, which builds the indexes; `ratio_to_exact`, of a search that need not find the nearest, is to
the exact search of the reference."""


def problems(found: object) -> list[str]:
    """Where an envelope breaks the schema."""
    if not isinstance(found, dict) or "schema_version" not in found:
        return ["this is no envelope: it has no `schema_version`"]
    if found["schema_version"] != VERSION:
        return [f"`schema_version` is {found['schema_version']!r}; this program reads version {VERSION}"]
    return mistakes("", found, TOP) or list(broken_parts(found))


def broken_parts(found: dict) -> Iterator[str]:
    if found["profile"] not in PROFILES:
        yield f"profile: `{found['profile']}` is none of {', '.join(PROFILES)}"
    yield from mistakes("host.", found["host"], HOST)
    yield from mistakes("commit.", found["commit"], COMMIT)
    for part, fields in (("engines", ENGINE), ("workloads", WORKLOAD)):
        for name, about in found[part].items():
            yield from mistakes(f"{part}.{name}.", about, fields)
    for place, figure in enumerate(found["figures"]):
        yield from mistakes(f"figures[{place}].", figure, FIGURE, known_only=True)
    seen: set = set()
    for place, row in enumerate(found["samples"]):
        yield from broken_row(f"samples[{place}].", row, found, seen)


def broken_row(place: str, row: Any, found: dict, seen: set) -> Iterator[str]:
    measured = {name: kind for name, kind in MEASURES.items() if isinstance(row, dict) and name in row}
    if wrong := mistakes(place, row, SAMPLE | measured, known_only=True):
        yield from wrong
        return
    for name in (*SAMPLE, *measured):
        if isinstance(row[name], NUMBER) and row[name] < 0:
            yield f"{place}{name}: {row[name]!r} is below 0"
    for name, most in (("raw", None), ("ratio_to_ref", 3)):
        yield from broken_list(place + name, row[name], most)
    for part in ("engine", "workload"):
        if row[part] not in found[f"{part}s"]:
            yield f"{place}{part}: `{row[part]}` is none of `{part}s`"
    if {row[name] is None for name in TIMES} != {bool(row["skipped"])}:
        yield f"{place}skipped: a row has either all numbers or a reason"
    if row["samples"] != len(row["raw"]):
        yield f"{place}raw: {len(row['raw'])} runs, `samples` is {row['samples']}"
    key = row["workload"], row["n"], row["engine"]
    if key in seen:
        yield f"{place}workload: {' '.join(map(str, key))} is there twice"
    seen.add(key)


def broken_list(place: str, values: list | None, length: int | None) -> Iterator[str]:
    """Of positive numbers, of this length if one is given."""
    if values is not None and not all(fits(each, NUMBER) and each > 0 for each in values):
        yield f"{place}: {values!r:.60} are not all numbers above 0"
    elif values is not None and length and len(values) != length:
        yield f"{place}: {len(values)} numbers instead of {length}"


def mistakes(place: str, found: object, fields: dict, known_only: bool = False) -> list[str]:
    if not isinstance(found, dict):
        return [f"{place.rstrip('.')}: not an object"]
    wrong = [f"{place}{name}: missing" for name in fields if name not in found]
    if known_only:
        wrong += [f"{place}{name}: the schema does not know it" for name in found if name not in fields]
    kinds = ((name, kind) for name, kind in fields.items() if name in found)
    return wrong + [f"{place}{name}: {found[name]!r:.60} is of the wrong type" for name, kind in kinds if not fits(found[name], kind)]


def fits(value: object, kind: type | tuple) -> bool:
    # In Python, True is an `int`, and its JSON reads NaN as a `float`.
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, kind) and (not isinstance(value, float) or isfinite(value))
