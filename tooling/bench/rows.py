"""What the rows of an envelope say together, on whatever it is shown."""

from statistics import geometric_mean

from .engines import REFERENCE, SUBJECT

WASM_PEERS = ("go-sqlite3", "node-sqlite3-wasm", "sql.js")
OWN = (REFERENCE, SUBJECT, "crate", "wasm", "sqlite3")


def grouped(envelope: dict) -> dict[tuple[str, int], dict[str, dict]]:
    """The rows of each workload and size, by engine."""
    found: dict[tuple[str, int], dict[str, dict]] = {}
    for row in envelope["samples"]:
        found.setdefault((row["workload"], row["n"]), {})[row["engine"]] = row
    return found


def engines_of(envelope: dict) -> list[str]:
    return list(dict.fromkeys(row["engine"] for row in envelope["samples"]))


def means(envelope: dict) -> dict[str, tuple[float, int]]:
    """The geometric mean of each engine's ratios to the reference, and of how many rows."""
    found: dict[str, list[float]] = {}
    for row in envelope["samples"]:
        if row["ratio_to_ref"] and row["engine"] != REFERENCE:
            found.setdefault(row["engine"], []).append(row["ratio_to_ref"][0])
    return {name: (geometric_mean(values), len(values)) for name, values in found.items()}


def against(envelope: dict) -> list[tuple[str, float, int, list[str]]]:
    """Each other engine by ours: the geometric mean, of how many rows, and those that we lose."""
    found: dict[str, list[tuple[float, str]]] = {}
    for (workload, n), rows in grouped(envelope).items():
        own = rows.get(SUBJECT, {}).get("ratio_to_ref")
        for name, row in rows.items():
            if own and name not in OWN and row["ratio_to_ref"]:
                found.setdefault(name, []).append((row["ratio_to_ref"][0] / own[0], f"{workload.partition('/')[2]} {n:,}"))
    return [(name, geometric_mean(ratio for ratio, _ in each), len(each), [title for ratio, title in each if ratio < 1])
            for name, each in found.items()]  # fmt: skip
