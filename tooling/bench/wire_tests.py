"""Tests of suite `pgsqlite`, whose client plays on Python's own SQLite here; `tests.py` runs them."""

import contextlib
import io
import multiprocessing
import os
import random
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from types import SimpleNamespace
from unittest import mock

from . import wire
from .catalogue import pgsqlite
from .peers import wire_client


def run(answers: str = "a", executed: str = "e") -> wire.Run:
    found = {"times": [1000, 2000, 3000], "answers": answers, "executed": executed}
    return {(name, size): found for name, each in pgsqlite.WORKLOADS.items() for sizes in each.sizes.values() for size in sizes}


class Rows(unittest.TestCase):
    def test_the_workloads_of_the_reference_are_there(self) -> None:
        parts = {each.id.partition(".")[0] for each in pgsqlite.WORKLOADS.values()}
        self.assertEqual(parts, {f"PG{number}" for number in range(1, 7)})

    def test_full_has_the_sizes_of_the_reference(self) -> None:
        full = {name: each.sizes["full"] for name, each in pgsqlite.WORKLOADS.items()}
        self.assertEqual({full["insert"], full["cached"], full["batch-1000"]}, {(1_000, 5_000)})
        rows = wire.samples({"ref": [run()]}, dict.fromkeys(wire.ENGINES, ""), "full")
        self.assertEqual({each["n"] for each in rows if "/PG2." in each["workload"]}, {1_000, 5_000})

    def test_operations_are_a_mix_as_in_the_reference(self) -> None:
        for count, left in pgsqlite.ROWS_LEFT.items():
            ids: set[int] = set()
            kinds: Counter[str] = Counter()
            newest = 0
            for kind, (_, values) in pgsqlite.mix(count):
                kinds[kind] += 1
                if kind == "insert":
                    newest += 1
                    ids.add(newest)
                elif kind != "select":
                    self.assertIn(values[-1], ids)
                if kind == "delete":
                    self.assertNotEqual(values[-1], newest)
                    ids.remove(values[-1])
            self.assertEqual((sum(kinds.values()), len(ids)), (count, left))
            self.assertTrue(all(count / 6 < each < count / 3 for each in kinds.values()), kinds)
        self.assertEqual({count for counts in pgsqlite.OPERATIONS.values() for count in counts}, set(pgsqlite.ROWS_LEFT))

    def test_a_run_is_the_mean_of_its_operations(self) -> None:
        found = {**run(), ("cached", 200): {"times": [1000, 1000, 4000], "answers": "a", "executed": "e"}}
        rows = wire.samples({"ref": [run(), run()], "serve": [found, found]}, dict.fromkeys(wire.ENGINES, ""), "small")
        row = next(each for each in rows if each["workload"] == "pgsqlite/PG1.v2/cached" and each["engine"] == "serve")
        self.assertEqual((row["median_ns"], row["p50_ns"], row["ratio_to_ref"][0]), (2000, 1000, 1))

    def test_the_memory_is_that_of_those_that_live(self) -> None:
        child = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE)
        try:
            alone, read = wire.memory(child.pid), wire.lines_of
            # As if another child ended between the two looks.
            with mock.patch.object(wire, "lines_of", lambda path: [f"{child.pid} 4194305"] if path.name == "children" else read(path)):
                both = wire.memory(os.getpid())
        finally:
            child.communicate()
        assert alone and both
        self.assertLess(alone, both)
        self.assertIsNone(wire.memory(child.pid))
        self.assertEqual(wire.measures([{"peak_bytes": None}, {"peak_bytes": 7}, {"wire_bytes": None}]), {"peak_bytes": 7})

    def test_a_batch_has_the_rows_of_its_name(self) -> None:
        for rows in {rows for sizes in pgsqlite.INSERTED.values() for rows in sizes}:
            for size in pgsqlite.BATCHES:
                self.assertEqual({sql.count("(") for sql, _ in pgsqlite.inserts(rows, size)}, {size})

    def test_what_is_not_there_is_said_for_each_row(self) -> None:
        rows = list(wire.samples({}, dict.fromkeys(wire.ENGINES, "not available: no wire"), "smoke"))
        engines = {name: [each["engine"] for each in rows if each["workload"] == f"pgsqlite/{id}"]
                   for name, id in (("all", "PG4.v2/message"), ("both protocols", "PG6.v1/simple"), ("tls", "PG3.v2/tls"))}  # fmt: skip
        self.assertEqual(engines["all"], list(wire.ENGINES))
        self.assertEqual(engines["both protocols"], ["ref", "serve", "serve-tcp", "serve-tls", "postgres", "postgres-tls"])
        self.assertEqual(engines["tls"], ["serve-tls", "postgres-tls"])
        self.assertEqual({each["skipped"] for each in rows}, {"not available: no wire"})

    def test_another_answer_has_no_number(self) -> None:
        runs = {"ref": [run(), run()], "serve": [run(), run()], "postgres": [run(), run("b")]}
        rows = list(wire.samples(runs, dict.fromkeys(wire.ENGINES, ""), "smoke"))
        found = {name: {each["skipped"] for each in rows if each["engine"] == name} for name in runs}
        self.assertEqual(found, {"ref": {None}, "serve": {None}, "postgres": {"gate: another answer than SQLite in the client"}})

    def test_a_record_has_what_was_executed(self) -> None:
        found = dict(wire.workloads({"ref": [run(), run()]}, "small"))["pgsqlite/PG1.v2/update"]
        self.assertEqual(found["statements"], [{"sql": "UPDATE benchmark_table SET text_col = %s WHERE id = %s"}])
        self.assertRegex(found["schema"][0], r"^CREATE TABLE benchmark_table\(id \{key\}")
        self.assertEqual(found["scripts_sha256"], {"200": {"operations": "e"}})
        self.assertEqual(dict(wire.workloads({}, "small"))["pgsqlite/PG1.v2/update"]["scripts_sha256"], {})

    def test_a_client_gets_the_driver_of_its_engine(self) -> None:
        for engine, driver in (("serve", "psycopg"), ("serve-simple", "psycopg-simple"), ("serve-psycopg2", "psycopg2")):
            with mock.patch.object(wire, "client", return_value=run()) as client:
                wire.alternating({engine: wire.Way("host=x")}, {engine: ""}, "smoke", 1, lambda _: None)
            client.assert_called_once_with(driver, wire.Way("host=x"), "smoke")


class Client(unittest.TestCase):
    def played(self, driver: str = "apsw", where: str = "") -> tuple[wire.Run, set[str]]:
        """A run of the profile smoke, and the drivers that were requested."""
        drivers = set()

        def connect(driver: str, _where: str, autocommit: bool = False) -> wire_client.Direct:
            drivers.add(driver)
            return wire_client.Direct(f"{directory}/data.db", autocommit)

        sqlite = SimpleNamespace(Connection=lambda where: sqlite3.connect(where, isolation_level=None))
        relay = SimpleNamespace(start=lambda: None, where="", bytes=0)
        with (
            tempfile.TemporaryDirectory() as directory,
            mock.patch.dict(sys.modules, dict.fromkeys(("apsw", "psycopg", "psycopg2"), sqlite)),
            mock.patch.multiple(wire_client, connect=connect, Relay=lambda _: relay, handshake=lambda _: 1),
        ):
            return {(each["workload"], each["size"]): each for each in wire_client.measured(driver, where, "smoke")}, drivers

    def test_all_workloads_are_played_alike_each_time(self) -> None:
        runs = [self.played(where="sslmode=require")[0] for _ in range(2)]
        expected = {(name, size) for name, each in pgsqlite.WORKLOADS.items() for size in each.sizes["smoke"]}
        self.assertEqual([set(each) for each in runs], [expected] * 2)
        for key in expected:
            for digest in ("executed", "answers"):
                self.assertEqual(runs[0][key][digest], runs[1][key][digest], key)

    def test_cached_queries_are_timed_after_the_first(self) -> None:
        found = self.played()[0]
        self.assertEqual(len(found["cached", 50]["times"]), len(pgsqlite.CACHED) * pgsqlite.CACHED_ROUNDS)
        self.assertEqual(sum(len(found[kind, 50]["times"]) for kind in ("insert", "update", "delete", "select")), 50)

    def test_connecting_tls_and_the_first_query_are_apart(self) -> None:
        found = self.played("psycopg", "sslmode=require")[0]
        self.assertEqual([len(found[name, 0]["times"]) for name in ("connect", "tls", "first-query")], [pgsqlite.CONNECTIONS] * 3)
        self.assertNotIn(("tls", 0), self.played("psycopg", "sslmode=disable")[0])

    def test_all_connections_are_by_the_given_driver(self) -> None:
        for driver, expected in (
            ("psycopg2", {"psycopg2"}),
            ("psycopg-simple", {"psycopg-simple"}),
            ("psycopg", {"psycopg", "psycopg-simple"}),
        ):
            found, drivers = self.played(driver)
            self.assertEqual(drivers, expected)
            self.assertEqual(("simple", pgsqlite.USERS) in found, driver == "psycopg")

    def test_clients_at_once_read_when_all_have_connected(self) -> None:
        log = multiprocessing.get_context("fork").SimpleQueue()

        def connect(*_: object) -> SimpleNamespace:
            time.sleep(random.random() / 50)
            log.put("connected")
            return SimpleNamespace(dialect=str, close=lambda: None, run=read)

        def read(_: str, values: tuple) -> list[tuple]:
            log.put("read")
            return [values]

        client = wire_client.Client("psycopg", "")
        with mock.patch.object(wire_client, "connect", connect):
            wire_client.clients(client)
        reads = pgsqlite.CLIENTS * pgsqlite.READS_OF_A_CLIENT
        self.assertEqual([log.get() for _ in range(pgsqlite.CLIENTS + reads)], ["connected"] * pgsqlite.CLIENTS + ["read"] * reads)
        found = client.of("clients", pgsqlite.USERS)
        expected = wire_client.Measured()
        for id in range(reads):
            expected.check([(id,)])
        self.assertEqual((len(found.times), found.answers.hexdigest()), (reads, expected.answers.hexdigest()))

    def test_a_client_at_once_that_fails_ends_the_run(self) -> None:
        with (
            mock.patch.object(wire_client, "connect", side_effect=OSError("refused")),
            contextlib.redirect_stderr(io.StringIO()),
            self.assertRaisesRegex(SystemExit, "one of the clients at once fails"),
        ):
            wire_client.clients(wire_client.Client("psycopg", ""))

    def test_the_bytes_of_both_directions_are_counted(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            relay = wire_client.Relay(f"host=127.0.0.1 port={server.getsockname()[1]} sslmode=disable")
            relay.start()
            words = dict(word.split("=") for word in relay.where.split())
            self.assertEqual(words["sslmode"], "disable")
            with socket.create_connection((words["host"], int(words["port"]))) as client:
                client.sendall(b"hello")
                served, _ = server.accept()
                with served:
                    self.assertEqual(served.recv(5), b"hello")
                    served.sendall(b"you")
                    self.assertEqual(client.recv(3), b"you")
            self.assertEqual(relay.bytes, 8)
            relay.join()
