"""What the rows of an envelope say together, on whatever it is shown."""

import re
from collections.abc import Callable, Iterable
from statistics import geometric_mean
from typing import NamedTuple

from .engines import REFERENCE, SUBJECT
from .spread import Spread, mean, ratios

WASM_PEERS = ("go-sqlite3", "node-sqlite3-wasm", "sql.js")
OWN = (REFERENCE, SUBJECT, "crate", "wasm", "sqlite3")
APSW = "apsw"
SERVERS = {"postgres": "serve", "postgres-tls": "serve-tls"}
"""Each with what of ours its clients reach in the same way."""


NO_COMPARISON = re.compile(r"turdb/T6\.|sqlrite/W13\.v[12]/writers-[248]")
"""T6 has the parts of an engine's time, and W13 had the time of the first of several writers, which is luck."""


def comparable(samples: Iterable[dict]) -> list[dict]:
    """The rows that say which engine is faster."""
    return [row for row in samples if not NO_COMPARISON.match(row["workload"])]


def grouped(samples: Iterable[dict]) -> dict[tuple[str, int], dict[str, dict]]:
    """The rows of each workload and size, by engine."""
    found: dict[tuple[str, int], dict[str, dict]] = {}
    for row in samples:
        found.setdefault((row["workload"], row["n"]), {})[row["engine"]] = row
    return found


def engines_of(samples: Iterable[dict]) -> list[str]:
    return list(dict.fromkeys(row["engine"] for row in samples))


def title(row: dict) -> str:
    """The id without its suite, and the size if it has several."""
    size = f" {row['n']:,}" if row["n"] else ""
    return row["workload"].partition("/")[2] + size


def run_ratios(row: dict, base: dict) -> list[float]:
    """Of each run to its neighbour; a peer may have the first runs only."""
    count = min(len(row["raw"]), len(base["raw"]))
    return ratios(row["raw"][:count], base["raw"][:count])


def with_ratio(samples: Iterable[dict]) -> dict[str, list[dict]]:
    """The rows of each engine that has a ratio to the reference."""
    found: dict[str, list[dict]] = {}
    for row in comparable(samples):
        if row["ratio_to_ref"] and row["engine"] != REFERENCE:
            found.setdefault(row["engine"], []).append(row)
    return found


def mean_ratio(rows: Iterable[dict]) -> float:
    """Geometric."""
    return geometric_mean(row["ratio_to_ref"][0] for row in rows)


def means(samples: Iterable[dict]) -> dict[str, tuple[float, int]]:
    """The mean of each engine, and of how many rows."""
    return {name: (mean_ratio(rows), len(rows)) for name, rows in with_ratio(samples).items()}


def apsw_for_python(envelope: dict) -> Callable[[str], str]:
    """The base of peers that are called from Python: SQLite called from there too, so that the cost of Python cancels."""
    names = {name for name, about in envelope["engines"].items() if about["via"].startswith("Python") and name != APSW}
    return lambda name: APSW if name in names else ""


class Against(NamedTuple):
    """An engine's times by those of another one."""

    name: str
    base: str
    mean: Spread
    """Geometric."""
    rows: int
    faster: list[str]
    """The rows in which the first one is."""


def ours_against(name: str) -> str:
    """Which of our engines another one is compared with; nothing if it is ours too."""
    return "" if name in OWN or name.startswith("serve") else SERVERS.get(name, SUBJECT)


def against(samples: Iterable[dict], base_of: Callable[[str], str] = ours_against) -> list[Against]:
    """Each engine that has a base, by that base."""
    found: dict[str, list[tuple[Spread, str]]] = {}
    for rows in grouped(comparable(samples)).values():
        for name, row in rows.items():
            if (base := rows.get(base_of(name))) and (values := run_ratios(row, base)):
                found.setdefault(name, []).append((Spread.of(values), title(row)))
    return [Against(name, base_of(name), mean(spread for spread, _ in each), len(each), [row for spread, row in each if spread.value < 1])
            for name, each in found.items()]  # fmt: skip
