"""Plays a tape on an engine that has a module for Python, as components/sqlite/bench-loop does.

    player.py ENGINE setup|check|time DATABASE < TAPE     player.py ENGINE version

What an engine needs is in `adapters/use_ENGINE.py`: `Engine(path)` with `setting`, `prepare`,
`run`, `close`, and `version()`. The answer is a line of JSON.
"""

import hashlib
import importlib
import json
import struct
import sys
import time
from pathlib import Path

SHOWN = 5
MEETING_S = 60
LOOK_AGAIN_S = 1e-4


class Tape:
    def __init__(self, file):
        self.header = json.loads(file.readline())
        self.data = file.read()
        self.at = 0

    def unpack(self, form):
        found = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return found

    def sized(self):
        (size,) = self.unpack("I")
        self.at += size
        return self.data[self.at - size : self.at]

    def value(self):
        (kind,) = self.unpack("B")
        if kind == 0:
            return None
        if kind in (1, 2):
            return self.unpack("q" if kind == 1 else "d")[0]
        return self.sized().decode() if kind == 3 else self.sized()

    def steps(self):
        """What to call (an index or a text), the values, and whether the operation ends."""
        while self.at < len(self.data):
            (kind,) = self.unpack("B")
            call = self.sized().decode() if kind & 0x7F else self.unpack("H")[0]
            (count,) = self.unpack("B")
            yield call, tuple(self.value() for _ in range(count)), bool(kind & 0x80)


def written(row):
    return "|".join(map(field, row))


def field(value):
    if value is None:
        return "n"
    if isinstance(value, int):
        return f"i{int(value)}"
    if isinstance(value, float):
        return f"r{struct.unpack('<Q', struct.pack('<d', value + 0.0))[0]:016x}"
    if isinstance(value, str):
        return f"t{value}"
    return f"b{hashlib.sha256(bytes(value)).hexdigest()}"


def check(engine, tape):
    digest, rows, shown, ids, gate = hashlib.sha256(), 0, [], [], []
    statements = tape.header["statements"]
    for call, values, _ in tape.steps():
        found = [written(row) for row in engine.run(call, values)]
        about = statements[call] if isinstance(call, int) else {}
        rows += len(found)
        if about.get("ids"):
            ids.append([int(row.split("|")[0][1:]) for row in found])
        if about.get("approximate"):
            continue
        if about.get("unordered"):
            found.sort(key=str.encode)
        shown += found[: SHOWN - len(shown)]
        for row in found:
            digest.update(row.encode() + b"\n")
        digest.update(b";\n")
    for sql in tape.header.get("gate", []):
        gate += [written(row) for row in engine.run(sql, ())]
    digest.update("\n".join(gate).encode())
    return {"digest": digest.hexdigest(), "rows": rows, "shown": shown, "ids": ids, "gate": gate[:SHOWN]}


def meet(engine, arrive, look, count):
    """Wait until all processes are here, as components/sqlite/bench-loop does."""
    engine.run(arrive, ())
    end = time.monotonic() + MEETING_S
    while engine.run(look, ())[0][0] != count:
        if time.monotonic() > end:
            raise TimeoutError("the other processes have not come")
        time.sleep(LOOK_AGAIN_S)


class Searching:
    """An engine whose rows the program itself searches for the nearest vectors, where a statement says so."""

    def __init__(self, engine, statements):
        self.engine, self.counts = engine, [about.get("neighbours", 0) for about in statements]

    def run(self, call, values):
        count = self.counts[call] if isinstance(call, int) else 0
        return nearest(self.engine.run(call, ()), *values, count) if count else self.engine.run(call, values)

    def close(self):
        self.engine.close()


def nearest(rows, query, count):
    """The ids of the rows whose vectors are nearest by the square of their distance."""
    import numpy  # not at the top: no other work needs it

    ids, vectors = zip(*rows)
    away = numpy.frombuffer(b"".join(vectors), "<f4").reshape(len(ids), -1) - numpy.frombuffer(query, "<f4")
    distances = (away * away).sum(axis=1)
    return [(ids[place],) for place in numpy.argsort(distances, kind="stable")[:count]]


def set_up(engine, tape):
    start = time.perf_counter_ns()
    if hasattr(engine, "load"):
        engine.load(tape.steps())
    else:
        for call, values, _ in tape.steps():
            engine.run(call, values)
    return {"setup_ns": time.perf_counter_ns() - start}


def timed(engine, tape):
    operations, part = [], []
    for call, values, ends in tape.steps():
        part.append((call, values))
        if ends:
            operations.append(part)
            part = []
    run, clock = engine.run, time.perf_counter_ns
    for operation in operations[: tape.header.get("warmup", 0)]:
        for call, values in operation:
            run(call, values)
    if "meeting" in tape.header:
        meet(engine, **tape.header["meeting"])
    began, block, times, total, rows = time.time_ns(), tape.header["block"], [], 0, 0
    for at in range(0, len(operations), block):
        some = operations[at : at + block]
        start = clock()
        for operation in some:
            for call, values in operation:
                rows += len(run(call, values))
        took = clock() - start
        total += took
        times += [took / len(some)] * len(some)
    start = clock()
    engine.close()
    if tape.header.get("close"):
        total += clock() - start
    times.sort()
    found = {name: times[min(int(part * len(times)), len(times) - 1)] for name, part in
             (("p50_ns", 0.5), ("p95_ns", 0.95), ("p99_ns", 0.99), ("p999_ns", 0.999), ("max_ns", 1))}  # fmt: skip
    return {"began_ns": began, "total_ns": total, "operations": len(operations), "rows": rows, **found}


def main():
    sys.path.insert(0, str(Path(__file__).with_name("adapters")))
    name, mode, *rest = sys.argv[1:]
    adapter = importlib.import_module(f"use_{name.replace('-', '_')}")
    if mode == "version":
        print(adapter.version())
        return
    tape = Tape(sys.stdin.buffer)
    engine = adapter.Engine(rest[0])
    for sql in [*tape.header["settings"], *tape.header.get("schema", [])]:
        engine.setting(sql)
    engine.prepare([each["sql"] for each in tape.header["statements"]])
    if any("neighbours" in each for each in tape.header["statements"]):
        engine = Searching(engine, tape.header["statements"])
    if mode == "time":
        print(json.dumps(timed(engine, tape)))
        return
    answer = check(engine, tape) if mode == "check" else set_up(engine, tape)
    engine.close()
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
