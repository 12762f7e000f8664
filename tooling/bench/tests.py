"""Tests of the benchmark itself: `tooling/bench/run --test`."""

import argparse
import contextlib
import dataclasses
import hashlib
import io
import shlex
import unittest
from functools import partial
from pathlib import Path
from unittest import mock

from . import compare_tests, instructions, loop_tests, page_tests, program_tests, record_tests, wire_tests
from .breadth import BREADTH
from .command import counts_instructions, passes, publish
from .engines import Engine, engine
from .envelope import sample, skipped
from .figures import MILLISECOND, Figure, Verdict, breadth_verdicts, combined, row_verdicts
from .placements import Placements
from .report import Part, Report, series_row, verdict_record
from .session import Disagreement, Result, Run, Series, Session
from .spread import Spread, geometric_means, ratios
from .timer import processor_seconds, without_times
from .whole_process import SHOWN_CHARACTERS, SHOWN_LINES, beginning, title, whole_processes
from .workloads import Workload

SCRIPT = Workload("say", "", lambda _rows: iter(["."]), fixed_amount="1", keeps_database=True)


def shell(name: str, command: str) -> Engine:
    """An engine that only runs a command; the database is its `$0`."""
    return Engine(name, ("/bin/sh", "-c", command), "", native=True)


def one_line(word: str, _rows: int) -> list[str]:
    """A script, when it is given the word."""
    return [word]


def row_of(workload: str, engine: str, ratio: float) -> list[dict]:
    """That of the reference, which takes a microsecond, and that of an engine."""
    runs = [1000.0] * 5
    return [sample(workload, name, 10, [factor * run for run in runs], runs) for name, factor in (("ref", 1), (engine, ratio))]


def result(name: str, ours: list[float], theirs: list[float]) -> Result:
    series = {engine: Series([Run(time, time, 0, 0, "") for time in times]) for engine, times in (("cwasm", ours), ("ref", theirs))}
    return Result(Workload(name, "", SCRIPT.script), 1, series)


class Spreads(unittest.TestCase):
    def test_a_ratio_is_of_neighbours_when_the_speed_changes(self) -> None:
        # The machine is half as fast in three of five rounds, and switches between two runs once.
        ours, theirs = [3, 6, 6, 3, 6], [2, 4, 2, 2, 4]
        self.assertEqual(Spread.of(ratios(ours, theirs)), Spread(1.5, 1.5, 1.5))

    def test_the_spread_is_that_of_the_middle_half(self) -> None:
        self.assertEqual(Spread.of([9, 1, 2, 3, 4]), Spread(3, 2, 4))
        self.assertEqual(Spread.of([5]), Spread(5, 5, 5))
        self.assertEqual(Spread(1.5, 1.25, 2).text(), "1.50 (1.25–2.00)")

    def test_runs_without_a_neighbour_are_an_error(self) -> None:
        with self.assertRaises(ValueError):
            ratios([1, 2], [1])

    def test_the_mean_is_taken_of_each_round(self) -> None:
        self.assertEqual([round(mean, 9) for mean in geometric_means([[1, 2], [4, 8]])], [2, 4])


class Timer(unittest.TestCase):
    def test_the_times_are_taken_out_of_the_output(self) -> None:
        output = "1\nRun Time: real 0.100 user 0.020000 sys 0.001000\n2\nRun Time: real 0.3 user 0.250000 sys 0.000000\n"
        self.assertEqual(processor_seconds(output), [0.021, 0.25])
        self.assertEqual(without_times(output), "1\n2\n")


class Instructions(unittest.TestCase):
    LOG = "==7== Events    : Ir\n==7== Collected : 6411234\n==7== \n==7== I   refs:      6,411,234\n"

    def test_the_sum_is_found_where_the_answer_is_right(self) -> None:
        self.assertEqual(instructions.collected("1\n", "", self.LOG), 6411234)
        for output, log, problem in (("", self.LOG, "error: x"), ("1\n", "==7== killed\n", "killed")):
            with self.assertRaisesRegex(Disagreement, problem):
                instructions.collected(output, "error: x" if problem == "error: x" else "", log)

    def test_a_record_has_them_and_page_faults(self) -> None:
        series = Series([Run(1, 1, 0, 300, ""), Run(1, 1, 0, 302, "")], program_bytes=7, instructions=[5, 6, 7])
        row = series_row("start/startup.v1", "cwasm", 0, series, series.runs)
        self.assertEqual((row["faults"], row["instructions"]), (301, 6))
        unmeasured = series_row("start/startup.v1", "cwasm", 0, Series(series.runs), series.runs)
        self.assertFalse({"faults", "instructions"} & unmeasured.keys())

    def test_only_a_start_that_is_timed_is_counted(self) -> None:
        cases = (("start", "small", True), ("start", "smoke", False), ("shell", "full", False))
        for suite, profile, counted in cases:
            options = argparse.Namespace(suites=[suite], profile=profile)
            self.assertEqual(counts_instructions(options, suite), counted, (suite, profile))


class Figures(unittest.TestCase):
    def test_a_limit_is_marked_by_its_direction(self) -> None:
        spread = Spread(2, 1, 3)
        self.assertEqual(Verdict(Figure("", must=2, aim=1), spread).mark(), "pass")
        self.assertTrue(Verdict(Figure("", must=1.9, aim=1), spread).missed())
        self.assertEqual(Verdict(Figure("", must=1, aim=2, larger_is_better=True), spread).mark(), "pass, aim")
        self.assertEqual(Verdict(Figure(""), spread).mark(), "")

    def test_figures_of_several_rounds_are_medians(self) -> None:
        figure = Figure("call", "µs")
        self.assertEqual(combined([[(figure, 3)], [(figure, 1)], [(figure, 2)]])[0].spread.value, 2)

    def test_a_limit_for_the_full_size_is_judged_there_only(self) -> None:
        rows = row_of("sqlrite/W1.v1", "cwasm", 2.0)
        (small,), (full,) = (list(row_verdicts(rows, profile)) for profile in ("small", "full"))
        self.assertEqual((small.mark(), small.missed(), small.is_judged()), ("judged at full", False, False))
        self.assertEqual((full.mark(), full.missed(), full.figure.title), ("MISS", True, "W1.v1 10"))
        self.assertEqual(verdict_record(full)["must"], 1.6)

    def test_a_limit_without_a_size_is_judged_in_both(self) -> None:
        rows = [*row_of("sqlrite/W12r.v1", "cwasm", 1.5), *row_of("pgsqlite/PG1.v2/cached", "serve", 50)]
        for profile, marks in (("smoke", ["judged at small, full"] * 2), ("small", ["pass", "MISS"]), ("full", ["pass", "MISS"])):
            self.assertEqual([each.mark() for each in row_verdicts(rows, profile)], marks)

    def test_a_search_by_an_index_has_a_time_and_a_recall(self) -> None:
        reference, ours = row_of("sqlrite/W10.v1/hnsw", "cwasm", 0.4 * MILLISECOND / 1000)
        for found, marks in ((ours | {"recall": 0.9}, ["pass", "MISS"]), (ours | {"recall": 0.95}, ["pass", "pass"])):
            self.assertEqual([each.mark() for each in row_verdicts([found], "full")], marks)
        no_number = skipped("sqlrite/W10.v1/hnsw", "cwasm", 10, "gate: recall 0.900 is below 0.95")
        self.assertEqual(list(row_verdicts([reference, no_number], "full")), [])

    def test_another_sqlite_in_webassembly_has_its_mean_by_ours(self) -> None:
        rows = [*row_of("sqlink/SL1.v1/a", "cwasm", 2.0), *row_of("sqlink/SL2.v1/b", "cwasm", 2.0)]
        rows += [row_of("sqlink/SL1.v1/a", "sql.js", 2.0)[1], row_of("sqlink/SL2.v1/b", "sql.js", 8.0)[1]]
        (found,) = row_verdicts(rows, "small")
        self.assertEqual((found.figure.title, found.mark()), ("sql.js by cwasm, geometric mean of 2 rows", "pass"))
        self.assertAlmostEqual(found.spread.value, 2)

    def test_a_check_wants_a_limit_that_is_judged(self) -> None:
        for profile, ratio, code in (("small", 1.0, 1), ("full", 1.0, 0), ("full", 2.0, 1)):
            part = Part("sqlrite", [], list(row_verdicts(row_of("sqlrite/W1.v1", "cwasm", ratio), profile)))
            report = mock.create_autospec(Report, instance=True, parts=[part])
            with contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(publish(report, argparse.Namespace(markdown=False, check=True)), code, (profile, ratio))

    def test_breadth_has_its_mean_and_its_worst_class(self) -> None:
        mean, worst = breadth_verdicts([result("a", [2, 2], [1, 1]), result("b", [8, 8], [1, 1])])
        self.assertAlmostEqual(mean.spread.value, 4)
        self.assertEqual((worst.figure.title, worst.spread.value), ("the worst class: b", 8))


class Sessions(unittest.TestCase):
    def measure(self, *engines: Engine, repeats: int = 2) -> Result:
        with Session(list(engines), repeats, lambda _: None) as session:
            return session.measure([(SCRIPT, None)])[0]

    def test_equal_engines_are_timed(self) -> None:
        found = self.measure(shell("a", "echo 1"), shell("b", "echo 1"))
        self.assertEqual([len(series.runs) for series in found.series.values()], [2, 2])
        self.assertTrue(all(run.faults > 0 for series in found.series.values() for run in series.runs))

    def test_two_passes_have_every_round_once(self) -> None:
        for repeats in (1, 2, 7):
            first, second = passes(repeats)
            self.assertEqual([*first, *second], list(range(repeats)))
            self.assertIn(len(first) - len(second), (0, 1))

    def test_engines_that_differ_end_the_run(self) -> None:
        for command in ("echo 2", "echo 1; echo wrong >&2", "echo 1; exit 3"):
            with self.assertRaises(Disagreement, msg=command):
                self.measure(shell("a", "echo 1"), shell("b", command))

    def test_the_form_of_a_full_text_index_need_not_be_equal(self) -> None:
        def words(name: str, bytes_in_memory: int, text: str) -> Engine:
            sql = (f"CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f(f, rank) VALUES ('hashsize', {bytes_in_memory});"
                   f" INSERT INTO f SELECT '{text}' || value FROM generate_series(1, 300);")  # fmt: skip
            return shell(name, f'{shlex.join(engine("ref").argv())} "$0" {shlex.quote(sql)}')

        workload = dataclasses.replace(SCRIPT, keeps_database=False)
        for text, differs in (("word", False), ("other", True)):
            with Session([words("a", 64, "word"), words("b", 1 << 20, text)], 1, lambda _: None) as session:
                if differs:
                    self.assertRaises(Disagreement, session.measure, [(workload, None)])
                else:
                    session.measure([(workload, None)])

    def test_an_output_that_changes_ends_the_run(self) -> None:
        with self.assertRaises(Disagreement):
            self.measure(shell("a", "date +%N"))

    def test_neighbours_stay_neighbours_in_all_rounds(self) -> None:
        with Session([], 1, lambda _: None) as session:
            log = session.directory / "log"
            session.engines = [shell(name, f"cd .. && echo {name} >>log") for name in "abc"]
            session.repeats = 2
            session.measure([(SCRIPT, None)])
            self.assertEqual(log.read_text().split(), list("abcabccba"))

    def test_a_round_goes_over_all_workloads(self) -> None:
        with Session([], 1, lambda _: None) as session:
            log = session.directory / "log"
            session.engines = [shell("a", "read word; cd .. && echo $word >>log")]
            session.repeats = 3
            session.measure((dataclasses.replace(SCRIPT, name=word, script=partial(one_line, word)), None) for word in "xy")
            self.assertEqual(log.read_text().split(), list("xyxyxyxy"))

    def test_an_envelope_has_what_was_executed(self) -> None:
        workload = dataclasses.replace(SCRIPT, script=lambda rows: (f"row {row};" for row in range(rows)))
        with Session([shell("ref", "cat")], 1, lambda _: None) as session:
            found = whole_processes("suite", session.measure([(workload, 2), (workload, 100)]))[title("suite", workload)]
        self.assertEqual(found["script"], "row 0;\nrow 1;")
        self.assertEqual(found["scripts_sha256"]["2"], {"script": hashlib.sha256(b"row 0;\nrow 1;\n").hexdigest()})
        self.assertEqual(list(found["scripts_sha256"]), ["2", "100"])
        self.assertEqual(beginning(workload.script, 100).splitlines()[-2:], [f"row {SHOWN_LINES - 1};", "…"])
        self.assertLess(len(beginning(lambda _: ["x" * 10_000], 1)), SHOWN_CHARACTERS + 10)

    def test_a_peer_has_the_first_runs_only(self) -> None:
        peer = dataclasses.replace(shell("peer", "echo 1"), peer=True)
        found = self.measure(shell("ref", "echo 1"), peer, repeats=7)
        self.assertEqual([len(series.runs) for series in found.series.values()], [7, 5])
        self.assertEqual(len(found.ratios("peer", "ref")), 5)

    def test_an_older_engine_ends_no_run(self) -> None:
        older = dataclasses.replace(shell("sqlite3", "echo no such function >&2; exit 1"), older=True)
        found = self.measure(older, shell("ref", "echo 1"))
        self.assertEqual([len(series.runs) for series in found.series.values()], [0, 2])
        self.assertIn("no such function", found.series["sqlite3"].unavailable)

    def test_what_an_engine_lacks_is_said(self) -> None:
        workload = dataclasses.replace(SCRIPT, extension="sha3")
        with Session([shell("ref", "echo 1"), shell("sqlite3", "echo 1")], 1, lambda _: None) as session:
            found = session.measure([(workload, None)])[0]
        self.assertEqual({name: each.unavailable for name, each in found.series.items()}, {"ref": "", "sqlite3": "has no sha3"})

    def test_only_the_uncompiled_program_is_compiled_each_time(self) -> None:
        workload, placements = dataclasses.replace(SCRIPT, compiles=True), Placements(Path("."))
        lacks = {name: placements.lack(engine(name), workload) for name in ("ref", "wasm", "cwasm")}
        self.assertEqual([name for name, lack in lacks.items() if not lack], ["ref", "wasm"])
        self.assertIn("--no-cache", placements.command(engine("wasm"), workload))
        self.assertNotIn("--no-cache", placements.command(engine("ref"), workload))


class Breadth(unittest.TestCase):
    def test_each_class_has_a_name_of_its_own_and_a_script(self) -> None:
        names = [workload.name for workload in BREADTH]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 50)
        for workload in BREADTH:
            text = "".join(workload.script(1000))
            self.assertNotIn("{rows}", text)
            self.assertTrue(text.strip(), workload.name)

    def test_all_tables_of_the_file_are_classes(self) -> None:
        heads = [line for line in Path(__file__).with_name("breadth.sql").read_text().splitlines() if line.startswith("-- ")]
        named = [line for line in heads if line.startswith(("-- read ", "-- write "))]
        self.assertEqual(len(named), len(BREADTH))


def load_tests(loader: unittest.TestLoader, own: unittest.TestSuite, _pattern: str | None) -> unittest.TestSuite:
    """Also the tests of loops, of the wire, of records and of what is made of them."""
    for module in (loop_tests, record_tests, compare_tests, page_tests, wire_tests, program_tests):
        own.addTests(loader.loadTestsFromModule(module))
    return own
