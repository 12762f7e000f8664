"""The report: one page of HTML that needs nothing else."""

import html as escape
import json
import re
from pathlib import Path

from .engines import REFERENCE, SUBJECT
from .markdown import MEANING, against_lines, conditions, figures, ratio_texts, storage, time_text
from .rows import apsw_for_python, comparable, engines_of, grouped, means, ours_against, title
from .suites import LOOP_SUITE_ABOUT, OTHER_ABOUT, SUITES

TEMPLATE = Path(__file__).with_name("page.html")
ENGINE_WORDS = {
    REFERENCE: "the same SQLite, compiled natively with cc -O2: the yardstick, 1.00",
    SUBJECT: "this project: the shell, or a program that calls SQLite, in the sandbox, compiled ahead of time",
    "wasm": "this project: the shell from the cache of compiled programs",
    "crate": "this project: the Rust library, each call of which crosses into the sandbox",
    "serve": "this project: the server, by psycopg 3 at a Unix socket; its ref is SQLite in the client's own process",
    "serve-tcp": "the same by TCP",
    "serve-simple": "the same by the simple protocol",
    "serve-psycopg2": "the same by psycopg2",
    "serve-tls": "the same by TLS",
    "sqlite3": "the system's SQLite, native and older",
}
SUITE_WORDS = {each.name: each.about for each in SUITES} | LOOP_SUITE_ABOUT | OTHER_ABOUT
MAX_KINDS = 6
"""Of an engine, in the table of means."""


def html(envelopes: list[dict], plots: Path | None) -> str:
    library = plots.read_text(encoding="utf-8").replace("</script", "<\\/script") if plots else ""
    data = json.dumps([plot(each) for each in envelopes if each["samples"]]).replace("</", "<\\/")
    parts = {
        "objections": "".join(
            f"<p class=marked>{escape.escape(line)}</p>"
            for line in dict.fromkeys(line for each in envelopes for line in each["objections"])
        ),
        "conditions": "".join(f"<li>{escape.escape(line)}</li>" for line in conditions(envelopes)),
        "meaning": "".join(f"<li>{escape.escape(plain(line))}</li>" for line in MEANING),
        "choice": choice(envelopes),
        "legend": legend(envelopes),
        "suites": "".join(section(each) for each in envelopes),
        "data": data,
        "library": library,
    }
    page = TEMPLATE.read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda name: parts[name[1]], page)


def choice(envelopes: list[dict]) -> str:
    """Which engine for which work: the mean of each suite, ours apart, and which engine is the fastest in how many rows."""
    rows = []
    for each in envelopes:
        if found := sorted(means(each["samples"]).items(), key=lambda item: item[1]):
            ours = [item for item in found if is_ours(item[0])]
            cells = (mean_list(ours), mean_list([item for item in found if item not in ours]), fastest(each))
            name = f"<a href='#{each['suite']}'>{escape.escape(each['suite'])}</a><br><small>{escape.escape(about_suite(each['suite']))}</small>"
            rows.append(f"<tr><th scope=row class=text>{name}</th>{''.join(f'<td class=text>{cell}</td>' for cell in cells)}</tr>")
    head = "".join(
        f"<th scope=col class=text>{text}</th>" for text in ("suite", "this project", "others, the fastest first", "fastest in rows")
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def is_ours(engine: str) -> bool:
    return not ours_against(engine) and engine not in (REFERENCE, "sqlite3")


def about_suite(name: str) -> str:
    return plain(SUITE_WORDS.get(name, ""))


def plain(text: str) -> str:
    """Without the marks of Markdown."""
    return text.replace("`", "")


def mean_list(found: list[tuple[str, tuple[float, int]]]) -> str:
    words = (f"{escape.escape(name)} <b>{mean:.2f}</b> <small>of {count}</small>" for name, (mean, count) in found)
    return ", ".join(f"<span class=one>{each}</span>" for each in words) or "–"


def fastest(envelope: dict) -> str:
    """In how many rows each engine is the fastest, and in which kinds of work for all but the reference."""
    found: dict[str, list[str]] = {}
    for (workload, _), rows in grouped(comparable(envelope["samples"])).items():
        times = {name: row["median_ns"] for name, row in rows.items() if row["median_ns"] is not None}
        if len(times) > 1:
            found.setdefault(min(times, key=times.__getitem__), []).append(workload.partition("/")[2].partition(".")[0])
    lines = []
    for name, works in sorted(found.items(), key=lambda item: -len(item[1])):
        kinds = list(dict.fromkeys(works))
        which = "" if name == REFERENCE else f" ({', '.join(kinds[:MAX_KINDS])}{', …' if len(kinds) > MAX_KINDS else ''})"
        lines.append(f"{escape.escape(name)} <b>{len(works)}</b><small>{escape.escape(which)}</small>")
    return ", ".join(lines)


def legend(envelopes: list[dict]) -> str:
    """The names that are ours or the reference's, in words."""
    seen = {name for each in envelopes for name in engines_of(each["samples"])}
    return "".join(f"<dt>{escape.escape(name)}</dt><dd>{escape.escape(text)}</dd>" for name, text in ENGINE_WORDS.items() if name in seen)


def section(envelope: dict) -> str:
    suite, names = escape.escape(envelope["suite"]), engines_of(envelope["samples"])
    head = "".join(f"<th scope=col>{escape.escape(name)}</th>" for name in names)
    base_of = apsw_for_python(envelope)
    rows = "".join(
        table_row(envelope, *key, rows, {name: ratio_texts(rows, name, base_of) for name in names})
        for key, rows in grouped(envelope["samples"]).items()
    )
    table = (
        f"<table><thead><tr><th scope=col>workload</th><th scope=col>rows</th>{head}</tr></thead><tbody>{rows}</tbody></table>"
        if rows
        else ""
    )
    peers = f"<ul>{''.join(f'<li>{escape.escape(line)}</li>' for line in against_lines(envelope))}</ul>"
    more = "".join(f"<div class=wide>{texts_table(*each)}</div>" for each in (storage(envelope), figures(envelope)))
    plot_place = f"<div class=plot id='plot-{suite}'></div>" if rows else ""
    return f"<section id='{suite}'><h2>{suite} <small>{envelope['profile']}</small></h2><p>{escape.escape(about_suite(envelope['suite']))}</p>{plot_place}<div class=wide>{table}</div>{peers}{more}</section>"


def table_row(envelope: dict, workload: str, n: int, rows: dict[str, dict], ratios: dict[str, list[str]]) -> str:
    """With the ratios of each engine that has a column."""
    about = envelope["workloads"][workload]
    exact = escape.escape(json.dumps(about, indent=1, ensure_ascii=False))
    best = min((row["median_ns"] for row in comparable(rows.values()) if row["median_ns"]), default=None)
    cells = "".join(table_cell(rows.get(name), texts, best, about.get("block", 1)) for name, texts in ratios.items())
    title = f"<details><summary>{escape.escape(workload.partition('/')[2])} <small>{escape.escape(plain(about['about']))}</small></summary><pre>{exact}</pre></details>"
    return f"<tr><th scope=row>{title}</th><td>{n:,}</td>{cells}</tr>"


def table_cell(row: dict | None, ratios: list[str], best: float | None, block: int) -> str:
    if row is None:
        return "<td>–</td>"
    if row["skipped"]:
        text = "&gt; cap" if row["skipped"].startswith("> cap") else "n/a"
        return f"<td class=none title='{escape.escape(row['skipped'], quote=True)}'>{text}</td>"
    notes = ratios + (["noisy"] if row["noisy"] else [])
    ratio = f"<small>{' · '.join(notes)}</small>" if notes else ""
    mark = " class=best" if row["median_ns"] == best else ""
    return f"<td{mark} title='{escape.escape('; '.join(details(row, block)), quote=True)}'>{time_text(row['median_ns'])} {ratio}</td>"


def details(row: dict, block: int) -> list[str]:
    """What a cell shows when the pointer is on it."""
    found = [f"95 %: {time_text(row['ci95_lower_ns'])} to {time_text(row['ci95_upper_ns'])}, {row['samples']} runs"]
    if times := [f"{name.removesuffix('_ns')} {time_text(row[name])}" for name in ("p50_ns", "p99_ns", "max_ns") if row.get(name)]:
        found.append((f"means of {block} operations: " if block > 1 else "") + ", ".join(times))
    found += [f"{name} {row[name]:,.3g}" for name in ("recall", "syncs") if row.get(name) is not None]
    found += [f"{row['rows_per_s']:,.0f} rows a second"] if row.get("rows_per_s") else []
    found += [f"{row['wire_bytes']:.0f} bytes a message"] if row.get("wire_bytes") else []
    found += [
        f"{what} {row[name] / 1e6:.1f} MB" for what, name in (("memory", "peak_bytes"), ("program", "program_bytes")) if row.get(name)
    ]
    return found


def texts_table(head: list[str], rows: list[list[str]]) -> str:
    """In the colour of a limit that is missed, where it is."""
    lines = (
        f"<tr{' class=miss' if 'MISS' in cells else ''}><th scope=row>{escape.escape(name)}</th>{''.join(f'<td>{escape.escape(cell)}</td>' for cell in cells)}</tr>"
        for name, *cells in rows
    )
    columns = "".join(f"<th scope=col>{escape.escape(name)}</th>" for name in head)
    return f"<table><thead><tr>{columns}</tr></thead><tbody>{''.join(lines)}</tbody></table>" if rows else ""


def plot(envelope: dict) -> dict:
    """Ratios to the reference, a series for each engine."""
    series: dict[str, dict] = {}
    for row in envelope["samples"]:
        if row["ratio_to_ref"] and row["engine"] != REFERENCE:
            value, low, high = row["ratio_to_ref"]
            found = series.setdefault(row["engine"], {"x": [], "y": [], "low": [], "high": []})
            found["x"].append(round(value, 4))
            found["y"].append(title(row))
            found["low"].append(round(value - low, 4))
            found["high"].append(round(high - value, 4))
    return {"suite": envelope["suite"], "series": series}
