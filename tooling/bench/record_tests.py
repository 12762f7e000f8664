"""Tests of envelopes, comparisons and the page; `tests.py` runs them."""

import contextlib
import io
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

from . import page, wire
from .compare import compare, markdown
from .confidence import interval, is_noisy
from .envelope import Unusable, host, load_record, sample, save, skipped
from .generator import Generator
from .loops import recall_of
from .records import main
from .schema import problems
from .workplace import PARENT, ROOT, without_root

ABOUT = {"about": "", "rows": 10, "way": "loop"}


def envelope(*rows: dict, cpu: str = "a processor") -> dict:
    return {
        "schema_version": 1, "suite": "suite", "profile": "small", "run_started_at": "2026-11-22T12:00:00+00:00", "run_duration_s": 1.5,
        "host": host() | {"cpu": cpu}, "commit": {"sha": "0123456789ab", "branch": "main", "dirty": False}, "objections": [],
        "engines": {name: {"version": "1", "sqlite": None, "via": "here"} for name in ("ref", "cwasm", "peer")},
        "workloads": {row["workload"]: ABOUT for row in rows}, "samples": list(rows), "figures": [],
    }  # fmt: skip


def row(workload: str, engine: str, runs: list[float], reference: list[float] | None = None) -> dict:
    return sample(workload, engine, 10, runs, reference or runs)


def pair(ratio: float, workload: str = "suite/W1.v1", wobble: float = 0.01) -> list[dict]:
    runs = [1000 * (1 + wobble * (each % 3)) for each in range(9)]
    return [row(workload, "ref", runs), row(workload, "cwasm", [ratio * run for run in runs[1:] + runs[:1]], runs)]


def at_speed(factor: float, rows: list[dict]) -> list[dict]:
    times = ("median_ns", "mean_ns", "ci95_lower_ns", "ci95_upper_ns")
    return [each | {name: each[name] * factor for name in times} for each in rows]


class Envelopes(unittest.TestCase):
    def broken(self, change) -> str:
        found = envelope(*pair(1.5))
        change(found)
        return "\n".join(problems(found))

    def test_what_is_whole_is_read_again(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            found = envelope(*pair(1.5), skipped("suite/W1.v1", "peer", 10, "> cap: 60 s"))
            save(Path(name) / "record" / "suite.json", found)
            self.assertEqual(load_record(Path(name) / "record"), [found])

    def test_broken_ones_say_where(self) -> None:
        def changed(*path, value):
            def change(found):
                for step in path[:-1]:
                    found = found[step]
                found[path[-1]] = value

            return change

        def without(*path):
            def change(found):
                for step in path[:-1]:
                    found = found[step]
                del found[path[-1]]

            return change

        for change, message in (
            (changed("schema_version", value=2), "`schema_version` is 2; this program reads version 1"),
            (without("schema_version"), "it has no `schema_version`"),
            (without("host"), "host: missing"),
            (changed("host", "cpus", value="two"), "host.cpus: 'two' is of the wrong type"),
            (changed("commit", "dirty", value=0), "commit.dirty: 0 is of the wrong type"),
            (changed("engines", "ref", value=[]), "engines.ref: not an object"),
            (without("samples", 1, "raw"), "samples[1].raw: missing"),
            (changed("samples", 1, "noisy", value=None), "samples[1].noisy: None is of the wrong type"),
            (changed("samples", 1, "median_ns", value=True), "samples[1].median_ns: True is of the wrong type"),
            (changed("samples", 1, "engine", value="other"), "`other` is none of `engines`"),
            (changed("samples", 1, "workload", value="x"), "`x` is none of `workloads`"),
            (changed("samples", 1, "skipped", value="why"), "either all numbers or a reason"),
            (changed("samples", 1, "samples", value=3), "9 runs, `samples` is 3"),
            (changed("samples", 1, "engine", value="ref"), "is there twice"),
            (changed("samples", 1, "elapsed", value=3), "samples[1].elapsed: the schema does not know it"),
            (changed("samples", 1, "ci95_upper_ns", value=None), "either all numbers or a reason"),
            (changed("samples", 1, "mean_ns", value=float("nan")), "samples[1].mean_ns: nan is of the wrong type"),
            (changed("samples", 1, "syncs", value=-1), "samples[1].syncs: -1 is below 0"),
            (changed("samples", 1, "raw", 0, value="fast"), "samples[1].raw: ['fast'"),
            (changed("samples", 1, "ratio_to_ref", value=[1.5]), "samples[1].ratio_to_ref: 1 numbers instead of 3"),
            (changed("samples", 1, "ratio_to_ref", 2, value=None), "samples[1].ratio_to_ref: ["),
            (changed("samples", 1, value=7), "samples[1]: not an object"),
            (changed("figures", value=[{}]), "figures[0].title: missing"),
            (changed("workloads", "suite/W1.v1", value={}), "workloads.suite/W1.v1.about: missing"),
            (changed("profile", value="large"), "profile: `large` is none of smoke, small, full"),
        ):
            self.assertIn(message, self.broken(change))
        self.assertIn("no envelope", problems([])[0])

    def test_files_that_are_none_are_named(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            with self.assertRaisesRegex(Unusable, "no envelope is in this directory"):
                load_record(Path(name))
            (Path(name) / "old.json").write_text('{"date": "2026"}')
            with self.assertRaisesRegex(Unusable, "old.json: this is no envelope"):
                load_record(Path(name))
            (Path(name) / "old.json").write_text("{")
            with self.assertRaises(Unusable):
                load_record(Path(name))

    def test_no_directory_of_the_machine_is_recorded(self):
        said = f"cannot lock '{PARENT}/tmpx_1/work/data.db' by {ROOT}/target/release/x"
        self.assertEqual(without_root(said), "cannot lock 'data.db' by target/release/x")


class Comparisons(unittest.TestCase):
    def verdicts(self, before: list[dict], after: list[dict]) -> list[str]:
        return [line[-1] for line in compare([envelope(*before)], [envelope(*after)]).lines]

    def test_equal_runs_are_no_regression(self) -> None:
        self.assertEqual(self.verdicts(pair(1.5), pair(1.5)), [""])
        self.assertEqual(self.verdicts(pair(1.5), pair(1.62)), [""])

    def test_a_worse_ratio_is_one(self) -> None:
        self.assertEqual(self.verdicts(pair(1.5), pair(1.8)), ["regression"])
        self.assertEqual(self.verdicts(pair(1.8), pair(1.5)), ["faster"])

    def test_a_slower_machine_is_none(self) -> None:
        self.assertEqual(self.verdicts(pair(1.5), at_speed(3, pair(1.5))), [""])

    def test_where_the_machine_changed_nothing_is_compared(self) -> None:
        for factor, said in ((1.3, "+30%"), (0.7, "-30%")):
            verdicts = self.verdicts(pair(1.5), at_speed(factor, pair(1.8)))
            self.assertEqual(verdicts, [f"not compared: the reference took {said}"])
        self.assertEqual(self.verdicts(pair(1.5), at_speed(1.15, pair(1.8))), ["regression"])

    def test_noise_needs_more(self) -> None:
        noisy = [each | {"noisy": True} for each in pair(1.75)]
        self.assertEqual(self.verdicts(pair(1.5), noisy), [""])

    def test_intervals_that_meet_are_none(self) -> None:
        after = pair(1.8)
        after[1]["ratio_to_ref"] = [1.8, 1.4, 2.0]
        self.assertEqual(self.verdicts(pair(1.5), after), [""])

    def test_runs_that_overlap_are_none(self) -> None:
        before, after = pair(1.5), pair(1.8)
        after[1]["raw"][3] = 1.4 * after[0]["raw"][3]
        self.assertEqual(self.verdicts(before, after), [""])
        self.assertEqual(self.verdicts(after, before), [""])

    def test_a_slowdown_of_an_eighth_is_found_among_all_rows(self) -> None:
        before = [row for each in range(300) for row in pair(1.5, f"suite/W{each}.v1")]
        after = [row for each in range(300) for row in pair(1.7 if each == 7 else 1.5, f"suite/W{each}.v1")]
        found = compare([envelope(*before)], [envelope(*after)])
        self.assertEqual([line[0] for line in found.regressions()], ["suite/W7.v1"])

    def test_other_hosts_versions_and_one_sided_rows_are_said(self) -> None:
        before = [*pair(1.5), *pair(1.5, "suite/W2.v1/range"), *pair(1.5, "suite/W3.v1")]
        after = [*pair(1.5), *pair(1.9, "suite/W2.v2/range"), *pair(1.5, "suite/W4.v1")]
        text = "\n".join(markdown(compare([envelope(*before)], [envelope(*after, cpu="another")])))
        self.assertIn("different machines", text)
        self.assertIn("suite/W2.v1/range (10), cwasm → suite/W2.v2/range (10), cwasm", text)
        self.assertRegex(text, r"Only in A:\n\n.*W3.v1(.|\n)*Only in B:\n\n.*W4.v1")
        self.assertIn("0 regressions in 1 rows", text)

    def test_other_work_under_one_id_is_not_compared(self) -> None:
        before, after = envelope(*pair(1.5)), envelope(*pair(1.8))
        for tapes, verdicts in (({"tapes_sha256": ["a", "b"]}, 0), ({"scripts_sha256": {"10": {"script": "c"}}}, 0),
                                ({"scripts_sha256": {"20": {"script": "c"}}}, 1), ({}, 1)):  # fmt: skip
            before["workloads"] = {"suite/W1.v1": ABOUT | {"tapes_sha256": ["a", "c"]}}
            after["workloads"] = {"suite/W1.v1": ABOUT | tapes}
            found = compare([before], [after])
            self.assertEqual((len(found.lines), len(found.other_work)), (verdicts, 1 - verdicts))
        self.assertEqual(found.other_work, [])

    def test_profiles_are_not_compared_with_each_other(self) -> None:
        with self.assertRaisesRegex(Unusable, "suite `suite` is of profile `small` in A and `full` in B"):
            compare([envelope(*pair(1.5))], [envelope(*pair(1.5)) | {"profile": "full"}])

    def test_a_row_without_a_number_is_not_compared(self) -> None:
        after = [pair(1.5)[0], skipped("suite/W1.v1", "cwasm", 10, "gate: another answer")]
        self.assertEqual(self.verdicts(pair(1.5), after), ["not compared: gate: another answer"])

    def test_the_command_fails_when_asked_to(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            files = [str(Path(name) / each) for each in ("a.json", "b.json")]
            for file, ratio in zip(files, (1.5, 2.0)):
                save(Path(file), envelope(*pair(ratio)))
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(main(["compare", *files]), 0)
                self.assertEqual(main(["compare", *files, "--fail"]), 1)
                self.assertEqual(main(["compare", files[0], files[0], "--fail"]), 0)


class Balanced(HTMLParser):
    """Whether each element that must be closed is, and what is asked from elsewhere."""

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

    def test_rows_that_we_lose_are_listed(self) -> None:
        rows = [*pair(1.5), *pair(1.5, "suite/W2.v1")]
        runs = rows[0]["raw"]
        rows += [row("suite/W1.v1", "peer", [3 * run for run in runs], runs), row("suite/W2.v1", "peer", runs, runs)]
        (name, mean, count, lost), = page.against(envelope(*rows))
        self.assertEqual((name, round(mean, 1), count, lost), ("peer", 1.1, 2, ["W2.v1 10"]))

    def test_a_stranger_sees_which_engine_is_the_fastest(self) -> None:
        rows = [*pair(1.5), *pair(1.5, "suite/W2.v1/x"), *pair(0.5, "suite/W3.v1")]
        self.assertEqual(page.fastest(envelope(*rows)), "ref <b>2</b><small></small>, cwasm <b>1</b><small> (W3)</small>")
        text = page.html([envelope(*rows) | {"suite": "turdb"}], None)
        self.assertIn("<dt>cwasm</dt><dd>this project", text)
        self.assertIn("how often the disk is flushed", text)

    def test_what_is_quoted_is_marked(self) -> None:
        text = "\n".join(page.markdown([envelope(*pair(1.5)) | {"suite": "turdb"}]))
        self.assertIn("TurDB, T4, WAL off: 82.3 ms, quoted from its document: other machine", text)

    def test_names_cannot_leave_their_place(self) -> None:
        hostile = "suite/</script><script>x.v1"
        text = page.html([envelope(*pair(1.5, hostile))], None)
        self.assertNotIn("</script><script>x", text)

    def test_the_readme_is_not_written_from_a_marked_record(self) -> None:
        marked = envelope(*pair(1.5)) | {"objections": ["not for the records: busy"]}
        with self.assertRaisesRegex(Unusable, "busy"):
            page.summary([marked], Path("record"), 3)
        with tempfile.TemporaryDirectory() as name:
            readme = Path(name) / "README.md"
            readme.write_text(f"before\n{page.BEGIN}\nold{page.END}\nafter\n")
            page.write_into(readme, [envelope(*pair(2.0))], Path("record"))
            text = readme.read_text()
            self.assertRegex(text, r"^before\n(.|\n)*suite 2\.02(.|\n)*after\n$")
            self.assertNotIn("old", text)

    def test_the_readme_has_as_many_lines_as_are_left(self) -> None:
        rows = [each for number in range(99) for each in pair(2.0, f"suite/W{number}.v1/a-long-name")]
        with tempfile.TemporaryDirectory() as name:
            readme = Path(name) / "README.md"
            for others, expected in ((140, 150), (147, 150), (150, 153)):
                readme.write_text("line\n" * (others - 1) + f"{page.BEGIN}\nold{page.END}\n")
                page.write_into(readme, [envelope(*rows)], Path("record"))
                self.assertEqual(readme.read_text().count("\n"), expected)


class Statistics(unittest.TestCase):
    def test_the_generator_is_the_published_one(self) -> None:
        numbers = Generator(0)
        self.assertEqual([numbers.next() for _ in range(3)], [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F])
        self.assertEqual(sorted(Generator(1).shuffled(range(50))), list(range(50)))

    def test_an_interval_holds_the_median_and_grows_with_the_noise(self) -> None:
        calm, wild = [100 + each % 3 for each in range(15)], [100 + 40 * (each % 3) for each in range(15)]
        (low, high), (lower, higher) = interval(calm), interval(wild)
        self.assertTrue(low <= 101 <= high and higher - lower > high - low)
        self.assertEqual((is_noisy(calm), is_noisy(wild)), (False, True))
        self.assertEqual(interval([5]), (5, 5))

    def test_recall_is_of_those_that_are_known(self) -> None:
        self.assertEqual(recall_of([[1, 2], [3, 9]], [[2, 1], [3, 4]]), 0.75)
        self.assertIsNone(recall_of([], []))


class Wires(unittest.TestCase):
    def test_what_is_not_there_is_said_for_each_row(self) -> None:
        rows = list(wire.samples({}, {name: "not available: no wire" for name in wire.ENGINES}, 50))
        self.assertEqual(len(rows), len(wire.ABOUT) * len(wire.ENGINES))
        self.assertEqual({each["skipped"] for each in rows}, {"not available: no wire"})

    def test_another_answer_has_no_number(self) -> None:
        def run(digest: str) -> list[dict]:
            return [{key: {"times": [1000, 2000, 3000], "digest": digest} for key in wire.ABOUT}] * 2

        rows = list(wire.samples({"ref": run("a"), "serve": run("a"), "postgres": run("b")}, dict.fromkeys(wire.ENGINES, ""), 50))
        found = {name: {each["skipped"] for each in rows if each["engine"] == name} for name in ("ref", "serve", "postgres")}
        self.assertEqual(found, {"ref": {None}, "serve": {None}, "postgres": {"gate: another answer than SQLite in the client"}})
