"""Tests of envelopes and statistics; `tests.py` runs them."""

import json
import tempfile
import unittest
from pathlib import Path

from .confidence import chance, interval, is_noisy, orders
from .envelope import Unusable, host, load_record, sample, save, skipped
from .generator import Generator
from .loops import recall_of
from .schema import problems
from .stored import text
from .workplace import PARENT, ROOT, without_root

ABOUT = {"about": "", "rows": 10, "way": "loop"}


def envelope(*rows: dict, cpu: str = "a processor") -> dict:
    return {
        "schema_version": 2, "suite": "suite", "profile": "small", "run_started_at": "2026-11-22T12:00:00+00:00", "run_duration_s": 1.5,
        "host": host() | {"cpu": cpu}, "commit": {"sha": "0123456789ab", "branch": "main", "dirty": False}, "objections": [],
        "engines": {name: {"version": "1", "sqlite": None, "via": "here"} for name in ("ref", *(row["engine"] for row in rows))},
        "workloads": {row["workload"]: ABOUT for row in rows}, "samples": list(rows), "figures": [],
    }  # fmt: skip


def row(workload: str, engine: str, runs: list[float], reference: list[float] | None = None) -> dict:
    return sample(workload, engine, 10, runs, reference or runs)


def pair(ratio: float, workload: str = "suite/W1.v1", wobble: float = 0.01, count: int = 9) -> list[dict]:
    runs = [1000 * (1 + wobble * (each % 3)) for each in range(count)]
    return [row(workload, "ref", runs), row(workload, "cwasm", [ratio * run for run in runs[1:] + runs[:1]], runs)]


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

    def test_a_file_has_what_was_measured_and_not_what_follows(self) -> None:
        found = envelope(*pair(1.51234567), sample("suite/W1.v1", "alone", 10, [2.0], []), skipped("suite/W1.v1", "peer", 10, "> cap"))
        kept = json.loads(text(found))["samples"]
        self.assertEqual([sorted(each) for each in kept[:2]], [["engine", "n", "raw", "workload"]] * 2)
        self.assertEqual(kept[1]["raw"][0], 1527.5)
        self.assertEqual(kept[3], {"workload": "suite/W1.v1", "engine": "peer", "n": 10, "skipped": "> cap"})
        self.assertEqual(text(found).count("\n{"), 4)

    def test_a_file_without_runs_is_refused(self) -> None:
        changes: tuple[dict, ...] = ({"raw": None}, {"raw": []}, {"raw": ["fast"]}, {"raw": [0.0]}, {"raw": [1.0, True]}, {"skipped": 7})
        for change in changes:
            found = json.loads(text(envelope(*pair(1.5))))
            found["samples"][1] |= change
            with tempfile.TemporaryDirectory() as name:
                file = Path(name) / "suite.json"
                file.write_text(json.dumps(found))
                with self.assertRaisesRegex(Unusable, r"samples\[1\]"):
                    load_record(file)

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
            (changed("schema_version", value=1), "`schema_version` is 1; this program reads version 2"),
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

    def test_the_order_of_runs_says_how_likely_chance_is(self) -> None:
        calm, higher = list(range(7)), list(range(7, 14))
        self.assertAlmostEqual(chance(calm, higher), 1 / 3432)
        self.assertAlmostEqual(chance(higher, calm), 1)
        self.assertAlmostEqual(chance([1, 2, 3], [4, 5, 6]), 1 / 20)
        # 2 1: no pair is above, in one of the two orders; equal ones are half a pair.
        self.assertEqual((chance([2], [1]), chance([1], [2]), chance([1], [1])), (1, 0.5, 1))
        self.assertEqual(orders(2, 2), [1, 1, 2, 1, 1])

    def test_recall_is_of_those_that_are_known(self) -> None:
        self.assertEqual(recall_of([[1, 2], [3, 9]], [[2, 1], [3, 4]]), 0.75)
        self.assertIsNone(recall_of([], []))
