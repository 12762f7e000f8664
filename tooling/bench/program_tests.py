"""Tests of the suites whose programs time themselves; `tests.py` runs them."""

import unittest
from pathlib import Path
from unittest import mock

from . import crate, library, programs, serve
from .schema import problems
from .session import Disagreement

PROFILE = """\
ob=(1) /usr/lib/libsqlite3.so.0
fn=(1) sqlite3_step
12 300
calls=1 40
12 5000
ob=(2) ???
fn=(2) compiled
0 5000
ob=(1)
fn=(1)
13 7
"""


class Programs(unittest.TestCase):
    def test_rounds_alternate(self) -> None:
        order: list[str] = []

        def run(name: str) -> dict[str, float]:
            order.append(name)
            return {"insert": 1.0}

        rounds = programs.alternating(["ref", "library"], 3, run)
        self.assertEqual(order, ["ref", "library", "library", "ref", "ref", "library"])
        self.assertEqual([sorted(each) for each in rounds], [["library", "ref"]] * 3)

    def test_a_row_is_by_its_neighbours(self) -> None:
        rounds = [{"ref": {"insert": 100.0}, "crate": {"insert": 150.0}}, {"ref": {"insert": 200.0}, "crate": {"insert": 300.0}}]
        found = programs.part("crate", {"insert": "a row"}, crate.ENGINES, rounds, "here")
        self.assertEqual([(row["engine"], row["ratio_to_ref"]) for row in found.samples], [("ref", [1, 1, 1]), ("crate", [1.5, 1.5, 1.5])])
        self.assertEqual(found.workloads["crate/insert.v1"]["about"], "a row")

    def test_what_has_no_time_says_why(self) -> None:
        rounds = [{"ref": {"insert": 0.0}, "crate": {"insert": 150.0}}]
        row, other = programs.part("crate", {"insert": ""}, crate.ENGINES, rounds, "here", "no clock").samples
        self.assertEqual((row["skipped"], row["median_ns"]), ("no clock", None))
        self.assertEqual((other["median_ns"], other["ratio_to_ref"]), (150, None))

    def test_a_program_that_fails_is_an_error(self) -> None:
        with self.assertRaisesRegex(Disagreement, "`sh` fails: no disk"):
            programs.printed(["/bin/sh", "-c", "echo no disk >&2; exit 3"], Path("/"))
        with mock.patch.dict("os.environ", RUST_BACKTRACE="1"):
            self.assertEqual(programs.printed(["/bin/sh", "-c", 'echo "$ONE${RUST_BACKTRACE-}"'], Path("/"), ONE="1"), "1\n")

    def test_the_lines_of_the_crates_program(self) -> None:
        found = crate.read("insert\t1500.5\t1000\nmemory\t2097152\t1048576\n")
        self.assertEqual(found, {"ref": {"insert": 1000, "memory": 1 << 20}, "crate": {"insert": 1500.5, "memory": 2 << 20}})

    def test_instructions_are_counted_by_file_without_calls(self) -> None:
        found = library.by_object(PROFILE)
        self.assertEqual(found, {"/usr/lib/libsqlite3.so.0": 307, "???": 5000})
        self.assertEqual([name for name in found if library.is_component(name)], ["???"])

    def test_the_server_is_skipped_where_peers_are_missing(self) -> None:
        with mock.patch.object(serve, "unavailable", lambda: "not available: x"), mock.patch.object(serve, "version", lambda _: "1"):
            found = serve.measure(2, True)
        self.assertEqual({row["skipped"] for row in found.samples}, {"not available: x"})
        self.assertEqual(len(found.samples), len(serve.SCRIPTS) * 2)

    def test_rows_are_those_of_an_envelope(self) -> None:
        rounds = [{engine: dict.fromkeys(library.ABOUT, 10.0) for engine in library.ENGINES}] * 2
        part = programs.part("library", library.ABOUT, library.ENGINES, rounds, "here")
        envelope = {
            "schema_version": 2, "suite": "library", "profile": "small", "run_started_at": "", "run_duration_s": 1, "host": {}, "commit": {},
            "objections": [], "engines": part.engines, "workloads": part.workloads, "samples": part.samples, "figures": [],
        }  # fmt: skip
        self.assertEqual([each for each in problems(envelope) if not each.startswith(("host.", "commit."))], [])
