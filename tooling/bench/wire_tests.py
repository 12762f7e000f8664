"""Tests of suite `pgsqlite`, whose client plays on Python's own SQLite here; `tests.py` runs them."""

import sqlite3
import sys
import tempfile
import unittest
from types import SimpleNamespace
from unittest import mock

from . import wire
from .catalogue.pgsqlite import SIZES, WORKLOADS
from .peers import wire_client


def run(answers: str = "a", executed: str = "e") -> wire.Run:
    return {name: {"times": [1000, 2000, 3000], "answers": answers, "executed": executed} for name in WORKLOADS}


class Rows(unittest.TestCase):
    def test_the_workloads_of_the_reference_are_there(self) -> None:
        parts = {each.id.partition(".")[0] for each in WORKLOADS.values()}
        self.assertEqual(parts, {f"PG{number}" for number in range(1, 6)})

    def test_what_is_not_there_is_said_for_each_row(self) -> None:
        rows = list(wire.samples({}, dict.fromkeys(wire.ENGINES, "not available: no wire"), "smoke"))
        self.assertEqual(len(rows), len(WORKLOADS) * len(wire.ENGINES))
        self.assertEqual({each["skipped"] for each in rows}, {"not available: no wire"})

    def test_another_answer_has_no_number(self) -> None:
        runs = {"ref": [run(), run()], "serve": [run(), run()], "postgres": [run(), run("b")]}
        rows = list(wire.samples(runs, dict.fromkeys(wire.ENGINES, ""), "smoke"))
        found = {name: {each["skipped"] for each in rows if each["engine"] == name} for name in runs}
        self.assertEqual(found, {"ref": {None}, "serve": {None}, "postgres": {"gate: another answer than SQLite in the client"}})

    def test_a_record_has_what_was_executed(self) -> None:
        found = dict(wire.workloads({"ref": [run(), run()]}, "small"))["pgsqlite/PG1.v1/update"]
        self.assertEqual(found["statements"], [{"sql": "UPDATE benchmark_table SET text_col = %s WHERE id = %s"}])
        self.assertRegex(found["schema"][0], r"^CREATE TABLE benchmark_table\(id \{key\}")
        self.assertEqual(found["scripts_sha256"], {"200": {"operations": "e"}})
        self.assertEqual(dict(wire.workloads({}, "small"))["pgsqlite/PG1.v1/update"]["scripts_sha256"], {})


class Client(unittest.TestCase):
    def played(self) -> dict[str, dict]:
        """A run of the profile smoke."""
        module = SimpleNamespace(Connection=lambda where: sqlite3.connect(where, isolation_level=None))
        with tempfile.TemporaryDirectory() as directory, mock.patch.dict(sys.modules, apsw=module):
            return {each["workload"]: each for each in wire_client.measured("apsw", f"{directory}/data.db", "smoke")}

    def test_all_workloads_are_played_alike_each_time(self) -> None:
        runs = [self.played(), self.played()]
        self.assertEqual([set(each) for each in runs], [set(WORKLOADS)] * 2)
        for name in WORKLOADS:
            for digest in ("executed", "answers"):
                self.assertEqual(*(each[name][digest] for each in runs), name)
        self.assertEqual(len(runs[0]["insert"]["times"]), SIZES["smoke"])
