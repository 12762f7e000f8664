"""Tests of comparisons of two records; `tests.py` runs them."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from .compare import compare, markdown
from .envelope import Unusable, save, skipped
from .record_tests import ABOUT, envelope, pair
from .records import main


def at_speed(factor: float, rows: list[dict]) -> list[dict]:
    times = ("median_ns", "mean_ns", "ci95_lower_ns", "ci95_upper_ns")
    return [each | {name: each[name] * factor for name in times} for each in rows]


def figure(title: str, value: float) -> dict:
    limits = {"unit": "ms", "must": None, "aim": None, "larger_is_better": title == "recall", "mark": ""}
    return limits | {"title": title, "value": value, "low": value, "high": value}


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

    def test_runs_that_are_mixed_are_none(self) -> None:
        before, after = pair(1.5), pair(1.8)
        for place in (2, 3):
            after[1]["raw"][place] = 1.4 * after[0]["raw"][place]
        self.assertEqual(self.verdicts(before, after), [""])
        self.assertEqual(self.verdicts(after, before), [""])

    def test_runs_out_of_line_hide_nothing_of_fifteen(self) -> None:
        before, after = pair(1.5, count=15), pair(1.8, count=15)
        for place in (2, 3):
            after[1]["raw"][place] = 1.4 * after[0]["raw"][place]
        self.assertEqual(self.verdicts(before, after), ["regression"])
        self.assertEqual(self.verdicts(after, before), ["faster"])

    def test_three_runs_of_a_peer_show_nothing(self) -> None:
        self.assertEqual(self.verdicts(pair(1.5, count=3), pair(1.8, count=3)), [""])

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

    def test_figures_of_suites_without_rows_are_listed_apart(self) -> None:
        before = envelope() | {"figures": [figure("call", 2.0), figure("recall", 0.8), figure("load", 1.0), figure("old", 1.0)]}
        after = envelope() | {"figures": [figure("call", 2.3), figure("recall", 0.9), figure("load", 1.09), figure("new", 1.0)]}
        found = compare([before], [after])
        self.assertEqual([(line[1], line[-1]) for line in found.figures], [("call", "worse"), ("recall", "better"), ("load", "")])
        self.assertEqual((found.regressions(), found.only), ([], {"A": ["suite: old"], "B": ["suite: new"]}))
        text = "\n".join(markdown(found))
        self.assertIn("- suite: call: 2 → 2.3 ms, worse", text)
        self.assertNotIn("suite: load", text)

    def test_figures_of_suites_with_rows_are_those_of_the_rows(self) -> None:
        found = [envelope(*pair(1.5)) | {"figures": [figure("W1", 1.5)]}]
        self.assertEqual(compare(found, found).figures, [])

    def test_profiles_are_not_compared_with_each_other(self) -> None:
        with self.assertRaisesRegex(Unusable, "suite `suite` is of profile `small` in A and `full` in B"):
            compare([envelope(*pair(1.5))], [envelope(*pair(1.5)) | {"profile": "full"}])

    def test_a_row_without_a_number_is_not_compared(self) -> None:
        after = [pair(1.5)[0], skipped("suite/W1.v1", "cwasm", 10, "gate: another answer")]
        self.assertEqual(self.verdicts(pair(1.5), after), ["not compared: gate: another answer"])

    def test_records_with_nothing_in_common_are_an_error(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            files = [str(Path(name) / each) for each in ("a.json", "b.json")]
            for file, workload in zip(files, ("suite/W1.v1", "suite/W2.v1")):
                save(Path(file), envelope(*pair(1.5, workload)))
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
                self.assertEqual(main(["compare", *files]), 2)
        self.assertIn("neither a row nor a figure in common", errors.getvalue())

    def test_the_command_fails_when_asked_to(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            files = [str(Path(name) / each) for each in ("a.json", "b.json")]
            for file, ratio in zip(files, (1.5, 2.0)):
                save(Path(file), envelope(*pair(ratio)))
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(main(["compare", *files]), 0)
                self.assertEqual(main(["compare", *files, "--fail"]), 1)
                self.assertEqual(main(["compare", files[0], files[0], "--fail"]), 0)
