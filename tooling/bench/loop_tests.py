"""Tests of loops: their tapes, their players, and the catalogue; `tests.py` runs them."""

import contextlib
import dataclasses
import json
import re
import sqlite3
import tempfile
import unittest
from pathlib import Path

from . import breakdown, persistent, players, tape
from .catalogue import sqlink
from .catalogue.loop import PROFILES, SETTINGS, SQLITE, Size
from .generator import Generator
from .loops import Failed, Played, Table, is_wanted, rows_of, settings_of
from .players import Player
from .session import digest_of
from .suites import LOOP_SUITES
from .tape import Work, write_timed
from .workplace import ROOT, Workplace


class Tapes(unittest.TestCase):
    def test_the_bytes_are_those_that_players_read(self) -> None:
        work = tape.Work([], (), [[("BEGIN", ()), (1, (None, -2, 0.5, "ä", b"\0"))]], statements=[tape.Statement("SELECT ?")])
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "tape"
            digest = tape.write_timed(path, work, ["PRAGMA x"])
            line, steps = path.read_bytes().split(b"\n", 1)
            self.assertEqual(tape.write_timed(path, work, ["PRAGMA x"]), digest)
        self.assertEqual(json.loads(line)["settings"], ["PRAGMA x"])
        begin = b"\1\5\0\0\0BEGIN\0"
        values = b"\5\0\1" + (-2).to_bytes(8, "little", signed=True) + b"\2\0\0\0\0\0\0\xe0\x3f\3\2\0\0\0\xc3\xa4\4\1\0\0\0\0"
        self.assertEqual(steps, begin + b"\x80\1\0" + values)

    def test_a_gate_does_not_make_other_work(self) -> None:
        with tempfile.TemporaryDirectory() as name:

            def written(gate: list[str], *settings: str) -> tuple[list[str], bytes]:
                path = Path(name) / "tape"
                return tape.write_timed(path, Work([], (), [[("COMMIT", ())]], gate=gate), [*settings]), path.read_bytes()

            (one, bytes_of_one), (other, bytes_of_other) = written(["SELECT 1"]), written(["SELECT 2"])
            self.assertEqual(one, other)
            self.assertNotEqual(bytes_of_one, bytes_of_other)
            self.assertNotEqual(written([], "PRAGMA x")[0], one)


class Writers(unittest.TestCase):
    """Several processes at once."""

    def test_each_process_has_its_tape(self) -> None:
        operations: list[list] = [[[("BEGIN", ())]], [[("COMMIT", ())]]]
        work = Work([], (), operations[0], others=[operations[1]], meeting={"count": 2})
        with Workplace() as place:
            place.work.mkdir()
            tape, database = place.directory / "tape", place.work / "data.db"
            digests = write_timed(tape, work, [])
            self.assertEqual([digest_of(Path(f"{tape}{end}")) for end in ("", ".1")], digests)
            self.assertIn(b'"meeting": {"count": 2}', tape.read_bytes())
            output = place.directory / "out"
            done = place.launch(tape, output, place.directory / "err", ["/bin/sh", "-c", "exec cat", str(database)], 3)
            self.assertEqual(done.exit_code(), 0)
            for played, end in (("", ""), (".1", ".1"), (".2", "")):
                self.assertEqual(Path(f"{output}{played}").read_bytes(), Path(f"{tape}{end}").read_bytes())

    def test_the_time_is_that_until_all_have_done_all(self) -> None:
        first = {"began_ns": 1_000, "total_ns": 500, "operations": 20, "rows": 0, "p50_ns": 20}
        last = {"began_ns": 1_100, "total_ns": 900, "operations": 20, "rows": 0, "p50_ns": 40}
        with Table("sqlrite", "smoke", [], 1, lambda _: None) as table:
            table.work.mkdir()
            tape = table.directory / "tape"
            for path, answer in ((tape, first), (Path(f"{tape}.1"), last)):
                path.write_text(json.dumps(answer))
            loop = next(each for each in LOOP_SUITES["sqlrite"] if each.id == "W13.v3/writers-2")
            played = Played("sqlrite/W13", loop, loop.smoke, Work([], (), ()), table.directory)
            found, _ = table.play(played, Player("some", ("/bin/sh", "-c", "cat"), ""), "time", tape, table.work / "data.db")
        self.assertEqual(found, {"began_ns": 1_100, "total_ns": 1_000, "operations": 40, "rows": 0, "p50_ns": 40})

    def test_a_lost_update_gives_no_number(self) -> None:
        loop = next(each for each in LOOP_SUITES["sqlrite"] if each.id == "W13.v3/writers-4")
        with Table("sqlrite", "smoke", [], 1, lambda _: None) as table:
            table.work.mkdir()
            played = table.recorded("sqlrite/W13", loop, loop.smoke)
            self.assertEqual((len(played.work.others), played.work.ends_with), (3, ["i20"]))
            for sum_found, lost in (("i20", False), ("i19", True)):
                player = Player("some", ("/bin/sh", "-c", f"""echo '{{"gate": ["{sum_found}"]}}'"""), "")
                if lost:
                    with self.assertRaisesRegex(Failed, "after all have written"):
                        table.check_end(played, player, table.work / "data.db")
                else:
                    table.check_end(played, player, table.work / "data.db")


class Storage(unittest.TestCase):
    def test_what_is_kept_in_memory_has_no_size(self) -> None:
        loop = next(each for each in LOOP_SUITES["sqlrite"] if each.storage)
        with Table("sqlrite", "smoke", [], 1, lambda _: None) as table:
            table.work.mkdir()
            (table.work / "data.db").write_bytes(b"12345")
            played = Played("sqlrite/W3", loop, loop.smoke, Work([], (), (), raw_bytes=4), table.directory)
            sizes = {memory: table.examined(played, Player("some", (), "", "duckdb", True, in_memory=memory)) for memory in (False, True)}
        self.assertEqual(sizes, {False: {"raw_bytes": 4, "db_bytes": 5, "vacuumed_bytes": None}, True: {}})


class Peers(unittest.TestCase):
    def test_they_share_the_time_of_a_suite(self) -> None:
        peer, own = (Player("some", (), "", peer=peer) for peer in (True, False))
        with Table("sqlrite", "small", [], 1, lambda _: None) as table:
            table.peer_seconds = 1_000
            self.assertEqual((table.spent(peer), table.spent(own)), ("", ""))
            table.peer_seconds += 1
            self.assertEqual((table.spent(peer), table.spent(own)), ("> cap: all peers together have 1000 s in a suite", ""))


class Searches(unittest.TestCase):
    def test_a_set_up_has_its_time(self) -> None:
        answers = {"setup_ns": 7, "digest": "", "rows": 0, "shown": [], "ids": [], "gate": []}
        player = Player("some", ("/bin/sh", "-c", f"echo '{json.dumps(answers)}'"), "", "duckdb")
        with Table("turdb", "smoke", [player], 1, lambda _: None) as table:
            self.assertEqual(table.checked(LOOP_SUITES["turdb"][0]).able["some"]["more"], {"setup_ns": 7})

    def test_an_approximate_one_is_compared_with_the_exact_one_of_ref(self) -> None:
        def played(id: str, engine: str, *times: float) -> Played:
            loop = next(each for each in LOOP_SUITES["sqlrite"] if each.id == id)
            runs = [{"ns": time, "rows": 0, "operations": 1, "peak": 1} for time in times]
            able = {engine: {"player": Player(engine, (), ""), "runs": runs, "answers": {"digest": ""}, "recall": 1.0, "more": {}}}
            return Played(id, loop, loop.smoke, Work([], (), ()), Path(), able=able)

        with Table("sqlrite", "smoke", [], 3, lambda _: None) as table:
            table.prepared = [played("W10.v1/brute-force", "ref", 10, 30, 10), played("W10.v1/hnsw", "cwasm", 2, 3, 3)]
            exact, approximate = table.samples()
        self.assertEqual((exact.get("ratio_to_exact"), approximate["ratio_to_exact"]), (None, 0.2))
        self.assertEqual((exact["ratio_to_ref"], approximate["ratio_to_ref"]), ([1.0, 1.0, 1.0], None))


class Catalogue(unittest.TestCase):
    def test_ids_are_versioned_and_single(self) -> None:
        for suite, loops in LOOP_SUITES.items():
            ids = [loop.id for loop in loops]
            self.assertEqual(len(ids), len(set(ids)), suite)
            for loop in loops:
                self.assertRegex(loop.id, r"^[\w-]+\.v\d+(/[\w-]+)?$")
                self.assertIn(loop.settings, SETTINGS)
                self.assertTrue(loop.size("full").rows, loop.id)
                self.assertLessEqual(loop.size("smoke").rows, 1_000, loop.id)

    def test_a_label_of_rows_is_true(self) -> None:
        for loops in (LOOP_SUITES["sochdb"], LOOP_SUITES["vector"]):
            for loop in loops:
                for thousands in re.findall(r"/(\d+)k", loop.id):
                    sizes = {loop.size(profile).rows for profile in PROFILES} - {0}
                    self.assertEqual(sizes, {int(thousands) * 1_000}, loop.id)

    def test_all_workloads_of_the_references_are_there(self) -> None:
        found = {re.sub(r"\.v.*", "", loop.id) for loops in LOOP_SUITES.values() for loop in loops}
        wanted = (
            {f"W{number}" for number in range(1, 14)} | {"W9b", "W10q", "W11b", "W12r", "W12b"} | {f"T{number}" for number in range(1, 6)}
        )
        wanted |= {f"OL{number}" for number in range(1, 6)} | {"OL1b", "MX1", "AN1", "AN2a", "AN2b", "AN2c", "AN2d", "VE1", "VE2", "VE3"}
        self.assertLessEqual(wanted | {"MI1", "MI2", "MI3"}, found)

    def test_those_that_are_no_loops_are_there(self) -> None:
        scripts = {each.name.partition(".")[0] for each in sqlink.WORKLOADS} | {persistent.ID.partition(".")[0]}
        self.assertEqual(scripts, {f"SL{number}" for number in range(1, 14)})
        self.assertEqual(breakdown.ID, "T6.v2")
        starts = {each.name.partition("/")[2] for each in sqlink.WORKLOADS if each.name.startswith("SL8.")}
        self.assertEqual(starts, {"start", "start-composed", "start-compiled"})

    def test_a_row_is_read_through_a_pipe_and_by_a_process_of_its_own(self) -> None:
        alone = next(each for each in sqlink.WORKLOADS if each.name == "SL9.v1/point-read-process")
        query, answer = persistent.FORMS["point-read"][1](1)
        self.assertEqual([*alone.script(0)], [query])
        with contextlib.closing(sqlite3.connect(":memory:")) as db:
            assert alone.setup
            db.executescript(" ".join(alone.setup(0)))
            self.assertEqual(db.execute(query).fetchall(), [(answer,)])

    def test_each_peer_of_a_workload_is_a_player(self) -> None:
        names = {each.name for each in players.PLAYERS}
        self.assertLessEqual({name for loops in LOOP_SUITES.values() for loop in loops for name in (*loop.peers, *loop.absent)}, names)

    def test_a_peer_that_is_absent_has_a_row_with_the_reason(self) -> None:
        loop = dataclasses.replace(LOOP_SUITES["turdb"][0], peers=("apsw",), absent={"apsw": "is here", "sqlrite": "has no blobs"})
        playing = [Player(name, (), "", peer=True, needs=(ROOT / "target/none",)) for name in ("apsw", "sqlrite", "sochdb")]
        with Table("turdb", "smoke", playing, 1, lambda _: None) as table:
            rows = table.checked(loop).rows
        self.assertEqual([(each["engine"], each["skipped"]) for each in rows],
                         [("apsw", "missing `target/none`: run `tooling/bench/build`"), ("sqlrite", "has no blobs")])  # fmt: skip

    def test_a_function_belongs_to_a_part_of_an_insertion(self) -> None:
        for line, part in (
            (" 55d0 sqlite3BtreeInsert (/x/native)", "btree"),
            (" 7f00 wasm[0]::function[834]::sqlite3VdbeExec (/x/0a.cwasm)", "step"),
            (" 7f00 wasm[0]::function[9]::_RNvMNtCs4_10bench_loop4tape4step (/x/0a.cwasm)", "player"),
            (" 55d0 <rusqlite::statement::Statement>::bind_blob (/x/native)", "player"),
            (" ffff exc_page_fault ([kernel.kallsyms])", "kernel"),
            (" 7f00 memmove (/x/sqlite-wasm-run)", "host"),
            (" 7f00 [unknown] (/x/native)", "rest"),
        ):
            self.assertEqual(breakdown.part_of(line), part)

    def test_samples_count_while_the_player_times(self) -> None:
        answer = {"began_ns": 1795559335_500000000, "total_ns": 1_000}
        lines = [f" {moment}: 55d0 {name} (/x/native)" for moment, name in (
            ("1795559335.499999999", "malloc"), ("1795559335.500000000", "sqlite3_step"), ("1795559335.500001000", "sqlite3BtreeInsert"),
            ("1795559335.500001001", "malloc"))]  # fmt: skip
        self.assertEqual(breakdown.timed_parts(lines, answer), {"step": 1, "btree": 1})

    def test_settings_are_for_all_that_know_them(self) -> None:
        loop = next(each for each in LOOP_SUITES["turdb"] if each.settings == "nosync-wal")
        known = {each.name for each in players.PLAYERS if settings_of(loop, each.dialect)}
        self.assertLessEqual({"ref", "cwasm", "apsw", "turso", "libsql", "sql.js", "go-sqlite3"}, known)
        self.assertFalse({"duckdb", "sqlrite", "sochdb"} & known)

    def test_words_are_searched_in_the_way_of_each_engine(self) -> None:
        loop = next(each for each in LOOP_SUITES["sqlrite"] if each.id == "W11.v1")
        for dialect, way in ((SQLITE, "USING fts5"), ("sqlrite", "bm25_score(body, ?)"), ("turso", "fts_score(body, ?1)")):
            work = loop.make(loop.smoke, Generator(loop.seed), dialect)
            indexes = [call for operation in work.setup for call, _ in operation if str(call).startswith("CREATE INDEX")]
            self.assertIn(way, " ".join([*work.schema, work.statements[0].sql]))
            self.assertEqual(len(indexes), dialect == "turso")

    def test_each_makes_the_same_twice(self) -> None:
        for suite, loops in LOOP_SUITES.items():
            for loop in loops:
                first, second = (self.steps(loop, Size(20, 2)) for _ in range(2))
                self.assertEqual(first, second, f"{suite}/{loop.id}")
                self.assertTrue(first[1], loop.id)

    def steps(self, loop, size) -> list[bytes]:
        work = loop.make(size, Generator(loop.seed), SQLITE)
        return [b"".join(tape.chunks(operations)) for operations in (work.setup, work.timed)]

    def test_rows_are_those_that_sqlite_writes_and_reads(self) -> None:
        for suite, loops in LOOP_SUITES.items():
            for loop in loops:
                work = loop.make(loop.smoke, Generator(loop.seed), SQLITE)
                timed = list(work.timed)
                if loop.extension or any(each.neighbours for each in work.statements):
                    continue
                with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
                    for sql in work.schema:
                        db.execute(sql)
                    self.play(db, work.loads, work.setup)
                    before = db.total_changes
                    rows = self.play(db, [each.sql for each in work.statements], timed)
                    touched = max(rows + db.total_changes - before, len(timed))
                self.assertEqual(rows_of(work, {"rows": rows, "operations": len(timed)}), touched, f"{suite}/{loop.id}")

    def play(self, db: sqlite3.Connection, statements: list[str], operations) -> int:
        """How many rows are found."""
        steps = (step for operation in operations for step in operation)
        return sum(len(db.execute(statements[call] if isinstance(call, int) else call, values).fetchall()) for call, values in steps)

    def test_workloads_are_chosen_by_the_start_of_their_id(self) -> None:
        self.assertTrue(is_wanted("W2.v1/range-100", ["W2"]) and is_wanted("read", ["read"]) and is_wanted("x", []))
        self.assertFalse(is_wanted("W10.v1", ["W1"]))
