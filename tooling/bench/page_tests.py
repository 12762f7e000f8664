"""Tests of the page, of the tables in Markdown and of the README's chapter; `tests.py` runs them."""

import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

from . import chapter, markdown, page
from .envelope import Unusable, sample, save, skipped
from .record_tests import envelope, pair, row
from .records import main
from .rows import against, means


class Balanced(HTMLParser):
    """Whether each element that must be closed is, and what is loaded from elsewhere."""

    VOID = ("meta", "link", "br", "img")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.tables = 0

    def handle_starttag(self, tag: str, attrs: list) -> None:
        if tag not in self.VOID and tag not in ("p", "li"):
            self.open.append(tag)
        self.tables += tag == "table"
        self.wrong += [value for name, value in attrs if name in ("src", "href") and not value.startswith("#")]

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("p", "li") and (not self.open or self.open.pop() != tag):
            self.wrong.append(tag)


class Page(unittest.TestCase):
    def test_it_is_whole_without_a_script(self) -> None:
        rows = [*pair(1.5), skipped("suite/W1.v1", "peer", 10, '> cap: "60" s <b>')]
        text = page.html([envelope(*rows)], None)
        found = Balanced()
        found.feed(text)
        self.assertEqual((found.wrong, found.open, found.tables), ([], [], 2))
        self.assertIn("1.51", text)
        self.assertIn("&gt; cap", text)
        self.assertNotIn("<b>'", text)
        self.assertNotRegex(text, r"\{\{\w+\}\}")

    def test_rows_in_which_another_is_faster_are_listed(self) -> None:
        rows = [*pair(1.5), *pair(1.5, "suite/W2.v1")]
        runs = rows[0]["raw"]
        rows += [row("suite/W1.v1", "peer", [3 * run for run in runs], runs), row("suite/W2.v1", "peer", runs, runs)]
        (found,) = against(rows)
        self.assertEqual(
            (found.name, found.base, round(found.mean.value, 1), found.rows, found.faster), ("peer", "cwasm", 1.1, 2, ["W2.v1 10"])
        )

    def test_a_server_is_compared_with_ours_by_the_same_way(self) -> None:
        runs = [1000.0] * 5
        engines = {"ref": 1, "serve": 40, "serve-tls": 50, "postgres": 60, "postgres-tls": 40}
        rows = [row("pgsqlite/PG1.v1/insert", name, [factor * run for run in runs], runs) for name, factor in engines.items()]
        text = "\n".join(markdown.markdown([envelope(*rows)]))
        self.assertIn("- postgres by serve: 1.50, the mean of 1 rows; faster in none", text)
        self.assertIn("- postgres-tls by serve-tls: 0.80, the mean of 1 rows; faster in PG1.v1/insert 10", text)
        self.assertEqual([name for name in engines if page.is_ours(name)], ["serve", "serve-tls"])

    def test_a_stranger_sees_which_engine_is_the_fastest(self) -> None:
        rows = [*pair(1.5), *pair(1.5, "suite/W2.v1/x"), *pair(0.5, "suite/W3.v1")]
        self.assertEqual(page.fastest(envelope(*rows)), "ref <b>2</b><small></small>, cwasm <b>1</b><small> (W3)</small>")
        text = page.html([envelope(*rows) | {"suite": "turdb"}], None)
        self.assertIn("<dt>cwasm</dt><dd>this project", text)
        self.assertIn("how often the disk is flushed", text)

    def test_a_peer_from_python_has_its_ratio_to_apsw_too(self) -> None:
        rows = [
            *pair(1.5),
            *(row("suite/W1.v1", name, [factor * 1000] * 3, [1000] * 3) for name, factor in (("apsw", 2), ("duckdb", 5), ("peer", 4))),
        ]
        found = envelope(*rows)
        found["engines"] |= {
            name: {"version": "1", "sqlite": None, "via": "Python: its own cost is that of apsw"} for name in ("apsw", "duckdb")
        }
        text, table = page.html([found], None), "\n".join(markdown.markdown([found]))
        self.assertIn("5 µs <small>5.00 · apsw 2.50</small>", text)
        self.assertIn("| 2 µs (2.00) | 5 µs (5.00; apsw 2.50) | 4 µs (4.00) |", table)
        self.assertIn("- duckdb by apsw: 2.50, the mean of 1 rows; faster in none", table)
        self.assertNotIn("peer by apsw", table)

    def test_storage_is_shown_by_the_bytes_of_the_values(self) -> None:
        rows = pair(1.5, "suite/OL1.v1")
        rows[1] |= {"raw_bytes": 2e6, "db_bytes": 3e6, "vacuumed_bytes": 2.5e6, "rows_per_s": 123456, "setup_ns": 2e6}
        rows.append(row("suite/OL1.v1", "peer", [1000]) | {"raw_bytes": 2e6, "db_bytes": 5e6, "vacuumed_bytes": None, "rows_per_s": 5})
        text, table = page.html([envelope(*rows)], None), markdown.markdown([envelope(*rows)])
        self.assertIn("| OL1.v1 10 | cwasm | 2.00 MB | 3.00 MB | 1.50 | 2.50 MB | 1.25 | 2 ms | 123,456 |", table)
        self.assertIn("| OL1.v1 10 | peer | 2.00 MB | 5.00 MB | 2.50 |  |  |  | 5 |", table)
        self.assertIn("<th scope=row>OL1.v1 10</th><td>cwasm</td><td>2.00 MB</td><td>3.00 MB</td><td>1.50</td>", text)
        self.assertNotIn("storage of", page.html([envelope(*pair(1.5))], None))

    def test_percentiles_say_what_they_are_of(self) -> None:
        found = row("suite/W1.v1", "cwasm", [1000] * 5) | {"p50_ns": 900, "p99_ns": 2000, "rows_per_s": 1e6}
        self.assertEqual(page.details(found, 1)[1:], ["p50 900 ns, p99 2 µs", "1,000,000 rows a second"])
        self.assertEqual(page.details(found, 100)[1], "means of 100 operations: p50 900 ns, p99 2 µs")

    def test_a_search_by_an_index_has_its_ratio_to_the_exact_one(self) -> None:
        found = sample("suite/W10.v1/hnsw", "cwasm", 10, [1000] * 3, []) | {"ratio_to_exact": 0.1}
        self.assertIn("| W10.v1/hnsw | 10 | 1 µs (exact 0.10) |", markdown.markdown([envelope(found)]))
        self.assertIn("1 µs <small>exact 0.10</small>", page.html([envelope(found)], None))

    def test_rows_that_compare_no_engines_are_left_out(self) -> None:
        rows = [*pair(0.5, "turdb/T6.v1/step"), *pair(0.5, "sqlrite/W13.v2/writers-2"), *pair(2.0, "sqlrite/W13.v3/writers-2")]
        self.assertEqual(page.fastest(envelope(*rows)), "ref <b>1</b><small></small>")
        self.assertEqual(means(rows)["cwasm"][1], 1)
        rows += [row("turdb/T6.v1/step", "peer", rows[0]["raw"])]
        self.assertEqual(against(rows), [])

    def test_figures_are_shown_with_their_marks(self) -> None:
        figure = {
            "title": "W7.v1 <10>",
            "unit": "times",
            "must": 1.6,
            "aim": None,
            "larger_is_better": False,
            "value": 2.05,
            "low": 2,
            "high": 2.1,
            "mark": "MISS",
        }
        found = envelope() | {"figures": [figure]}
        self.assertIn("| W7.v1 <10> | 2.05 times | 1.6 |  | MISS |", markdown.markdown([found]))
        self.assertIn(
            "<tr class=miss><th scope=row>W7.v1 &lt;10&gt;</th><td>2.05 times</td><td>1.6</td><td></td><td>MISS</td></tr>",
            page.html([found], None),
        )

    def test_what_is_quoted_is_marked(self) -> None:
        text = "\n".join(markdown.markdown([envelope(*pair(1.5)) | {"suite": "turdb"}]))
        self.assertIn("TurDB, T4, 1,000 rows, WAL off: 823 µs, quoted from its document: other machine", text)

    def test_names_cannot_leave_their_place(self) -> None:
        hostile = "suite/</script><script>x.v1"
        text = page.html([envelope(*pair(1.5, hostile))], None)
        self.assertNotIn("</script><script>x", text)

    def written(self, rows: list[dict], *options: str, **more) -> str:
        """A file between whose marks the command writes."""
        with tempfile.TemporaryDirectory() as name:
            record, file = Path(name) / "suite.json", Path(name) / "README.md"
            save(record, envelope(*rows) | more)
            file.write_text(f"before\n{chapter.BEGIN}\nold{chapter.END}\nafter\n")
            self.assertEqual(main(["report", str(record), *options, str(file)]), 0)
            text = file.read_text()
        self.assertRegex(text, r"^before\n(.|\n)*\nafter\n$")
        self.assertNotIn("old", text)
        return text

    def test_the_readme_is_not_written_from_a_marked_record(self) -> None:
        with self.assertRaisesRegex(Unusable, "busy"):
            self.written(pair(1.5), "--readme", objections=["not for the records: busy"])

    def test_the_readme_says_how_much_is_lost_and_to_whom(self) -> None:
        runs = [1000.0] * 9
        rows = [*pair(2.0, "sqlink/SL1.v1"), row("sqlink/SL1.v1", "sql.js", [20_000.0] * 9, runs)]
        text = " ".join(self.written(rows, "--readme", suite="sqlink").split())
        self.assertIn("of a suite: sqlink 2.02 (", text)
        self.assertIn("[1 of 1 rows](docs/benchmarks.md#where-we-lose) are above 1.6.", text)
        self.assertRegex(text, r"By our time on sqlink .*: sql.js 9\.\d\.")
        servers = [row("pgsqlite/PG1.v1/insert", name, [factor * 1000] * 9, runs) for name, factor in (("serve", 40), ("postgres", 30))]
        text = " ".join(self.written([*pair(1.5), *servers], "--readme", suite="pgsqlite").split())
        self.assertIn("PostgreSQL by `serve`: 0.75, faster in 1 of 1 rows.", text)

    def test_the_tables_have_each_row_that_is_lost(self) -> None:
        rows = [*pair(2.0, "sqlrite/W1.v1"), *pair(3.0, "sqlrite/W2.v1"), *pair(1.5, "sqlrite/W3.v1")]
        rows += [row("sqlrite/W1.v1", "go-sqlite3", [1000] * 9), row("sqlrite/W3.v1", "go-sqlite3", [6000] * 9)]
        text = self.written(rows, "--tables", suite="sqlrite")
        self.assertIn("| sqlrite | W2.v1 10 | 3.03 | 2.10 | 2 of 3 |", text)
        self.assertRegex(text, r"\| W2.v1 10 \| sqlrite \| 3.03 \|.*\n\| W1.v1 10 \| sqlrite \| 2.02 \|.*\n\n")
        self.assertIn("| go-sqlite3 | cwasm | sqlrite | W1.v1 10 | 1.40 | 1 of 2 |", text)
