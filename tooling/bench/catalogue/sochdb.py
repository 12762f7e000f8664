"""Suite `sochdb`: keys and values, analytics, vectors that the client compares, storage."""

import struct

from ..generator import Generator
from ..tape import Statement, Work
from .loop import BLOCK, NOTHING, Loop, Size, loaded, single, transaction
from .vectors import NEIGHBOURS, raw_bytes, virtual_table

PEERS = ("apsw", "duckdb", "sochdb")
VALUE_BYTES = 256
KEY_BYTES = 11
BATCH = 1_000
KV = "CREATE TABLE kv(key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
PUT = "INSERT OR REPLACE INTO kv(key, value) VALUES (?, ?)"
GET = "SELECT value FROM kv WHERE key = ?"
DELETE = "DELETE FROM kv WHERE key = ?"
ALL = ["SELECT key, value FROM kv ORDER BY key"]


def key(kind: str, number: int) -> bytes:
    return f"{kind}:{number:08x}".encode()


def pairs(kind: str, numbers: Generator, count: int):
    return ((key(kind, each), numbers.bytes(VALUE_BYTES)) for each in range(count))


def schema(dialect: str) -> list[str]:
    return [KV.removesuffix(" WITHOUT ROWID") if dialect == "duckdb" else KV]


def keys_and_values(size: Size, numbers: Generator, dialect: str, timed, *, added: int = 0, **more) -> Work:
    """`timed` on a table of rows, to which it adds `added` more: the bytes on disk are divided by what is left."""
    raw = (size.rows + added) * (KEY_BYTES + VALUE_BYTES)
    return Work(schema(dialect), loaded(pairs("kv", numbers, size.rows)), timed, [PUT], raw_bytes=raw, **more)


def put(sql_each_time: bool):
    def make(size: Size, numbers: Generator, dialect: str) -> Work:
        place = PUT if sql_each_time else 0
        statements = [] if sql_each_time else [Statement(PUT)]
        return Work(schema(dialect), (), single(pairs("kv", numbers, size.rows), place), statements=statements, gate=ALL,
                    raw_bytes=size.rows * (KEY_BYTES + VALUE_BYTES))  # fmt: skip

    return make


def get(shuffled: bool):
    def make(size: Size, numbers: Generator, dialect: str) -> Work:
        order = Generator(99).shuffled(range(size.rows)) if shuffled else range(size.rows)
        timed = single((key("kv", each),) for each in order)
        return keys_and_values(size, numbers, dialect, timed, statements=[Statement(GET)], block=BLOCK)

    return make


def put_batches(size: Size, numbers: Generator, dialect: str) -> Work:
    timed = transaction(pairs("bk", Generator(7), size.rows), rows=BATCH)
    return keys_and_values(size, numbers, dialect, timed, added=size.rows, rows_written=size.rows, statements=[Statement(PUT)], gate=ALL)


def delete(size: Size, numbers: Generator, dialect: str) -> Work:
    count = min(max(size.rows // 5, 100), 50_000, size.rows)
    timed = single(((key("kv", each),) for each in range(count)), DELETE)
    return keys_and_values(size, numbers, dialect, timed, added=-count, gate=ALL)


def mixed(size: Size, numbers: Generator, dialect: str) -> Work:
    own = Generator(80)

    def timed():
        for turn in range(size.rows):
            if own.below(100) < 80:
                # A fifth of these were never written or are deleted, as in the reference.
                yield [(0, (key("kv", own.below(size.rows + size.rows // 5)),))]
            else:
                yield [(PUT, (key("mx", turn), own.bytes(VALUE_BYTES)))]

    return keys_and_values(size, numbers, dialect, timed(), statements=[Statement(GET)], gate=ALL)


ANALYTICS = """CREATE TABLE analytics(id INTEGER PRIMARY KEY, timestamp INTEGER NOT NULL, amount REAL NOT NULL,
category TEXT NOT NULL, description TEXT)"""
ANALYTICS_INDEXES = ["CREATE INDEX by_timestamp ON analytics(timestamp)", "CREATE INDEX by_category ON analytics(category)"]
ADD = "INSERT INTO analytics VALUES (?, ?, ?, ?, ?)"
FIRST_SECOND = 1_700_000_000
YEAR_SECONDS = 365 * 86_400
CATEGORIES = "books clothes food garden music sports tools toys".split()
# 8 + 8 + 8 bytes of integers and reals, about 6 of a category, 11 of a description.
ANALYTICS_ROW_BYTES = 41

QUERIES = {
    "a": "SELECT COUNT(*) FROM analytics WHERE amount > 5000",
    "b": "SELECT COALESCE(SUM(amount), 0) FROM analytics",
    "c": "SELECT category, COUNT(*) FROM analytics GROUP BY category",
    "d": "SELECT COUNT(*) FROM analytics WHERE timestamp >= 1700000000 AND timestamp < 1700100000",
}


def events(count: int, numbers: Generator):
    for id in range(count):
        # A multiple of 1/64: sums are exact, in whatever order an engine adds up.
        amount = numbers.between(64, 640_000) / 64
        yield id, FIRST_SECOND + numbers.below(YEAR_SECONDS), amount, CATEGORIES[numbers.below(8)], f"desc-{id:06}"


def analytics_schema(dialect: str) -> list[str]:
    if dialect == "duckdb":
        # Its REAL has 32 bits.
        return [ANALYTICS.replace("REAL", "DOUBLE")]
    return [ANALYTICS, *ANALYTICS_INDEXES]


def add_events(size: Size, numbers: Generator, dialect: str) -> Work:
    return Work(analytics_schema(dialect), (), transaction(events(size.rows, numbers), rows=BATCH), statements=[Statement(ADD)],
                gate=["SELECT id, timestamp, amount, category, description FROM analytics ORDER BY id"],
                rows_written=size.rows, raw_bytes=size.rows * ANALYTICS_ROW_BYTES)  # fmt: skip


def ask_events(sql: str):
    def make(size: Size, numbers: Generator, dialect: str) -> Work:
        return Work(analytics_schema(dialect), loaded(events(size.rows, numbers)), single([()] * size.operations), [ADD],
                    [Statement(sql, unordered=True)], warmup=1)  # fmt: skip

    return make


def vectors(numbers: Generator, count: int, dimensions: int):
    for id in range(count):
        yield id, normalised(numbers, dimensions), f"meta-{id}" if id % 10 == 0 else None


def normalised(numbers: Generator, dimensions: int) -> bytes:
    """About a normal distribution, by sums of four; of length 1."""
    found = [sum(numbers.unit() for _ in range(4)) - 2 for _ in range(dimensions)]
    length = sum(each * each for each in found) ** 0.5
    return struct.pack(f"<{dimensions}f", *(each / length for each in found))


VECTORS = "CREATE TABLE vectors(id INTEGER PRIMARY KEY, vector BLOB NOT NULL, metadata TEXT)"
ADD_VECTOR = "INSERT INTO vectors VALUES (?, ?, ?)"


def add_vectors(dimensions: int):
    def make(size: Size, numbers: Generator, _: str) -> Work:
        timed = transaction(vectors(numbers, size.rows, dimensions), rows=500)
        return Work([VECTORS], (), timed, statements=[Statement(ADD_VECTOR)], gate=["SELECT id, vector, metadata FROM vectors ORDER BY id"],
                    rows_written=size.rows, raw_bytes=raw_bytes(size, dimensions))  # fmt: skip

    return make


def compare_in_client(dimensions: int):
    def make(size: Size, numbers: Generator, _: str) -> Work:
        asked = [(normalised(Generator(1000 + each), dimensions),) for each in range(size.operations)]
        select = Statement("SELECT id, vector FROM vectors", neighbours=NEIGHBOURS)
        return Work([VECTORS], loaded(vectors(numbers, size.rows, dimensions)), single(asked), [ADD_VECTOR], [select], warmup=1)

    return make


def micro(kind: str):
    def make(size: Size, numbers: Generator, dialect: str) -> Work:
        reads = single((key("kv", numbers.below(size.rows)),) for _ in range(size.operations))
        writes = pairs("mi", Generator(5), size.operations)
        timed = {"write": single(writes), "read": reads, "batch": transaction(writes)}[kind]
        statement = Statement(GET if kind == "read" else PUT)
        return keys_and_values(size, numbers, dialect, timed, statements=[statement], block=BLOCK if kind == "read" else 1,
                               rows_written=size.operations if kind == "batch" else 0, gate=ALL)  # fmt: skip

    return make


def scaled(name: str, about: str, make, smoke: Size, small: Size, smallest: Size, *others: Size, **more):
    """At each scale of the reference. The smallest one is in all profiles, so its id does not tell the rows."""
    yield Loop(f"{name}.v1", about, make, smoke, small, smallest, settings="mmap", **more)
    for full in others:
        yield Loop(f"{name}.v1/{full.rows // 1000}k", about, make, NOTHING, NOTHING, full, settings="mmap", **more)


def loops():
    for name, about, make, more in (
        ("OL1", "one put after the other, the text prepared each time", put(True), {"storage": True}),
        (
            "OL1b",
            "the same with a prepared statement",
            put(False),
            {"storage": True, "peers": ("apsw",), "absent": dict.fromkeys(("duckdb", "sochdb"), "sends a text each time: see OL1")},
        ),
        ("OL2", "gets in the order of keys", get(False), {}),
        ("OL3", "gets in another order", get(True), {}),
        ("OL4", "1,000 puts a transaction", put_batches, {"storage": True}),
        ("OL5", "deletes, the text prepared each time", delete, {"storage": True}),
        ("MX1", "four gets, one put", mixed, {}),
    ):
        yield from scaled(name, about, make, *(Size(rows, 1) for rows in (300, 5_000, 10_000, 50_000, 100_000)), **{"peers": PEERS} | more)
    yield from scaled("AN1", "rows with two indexes, 1,000 a transaction", add_events,
                      *(Size(rows, 1) for rows in (300, 5_000, 10_000, 100_000)), peers=PEERS, storage=True, dearer=True)  # fmt: skip
    for name, sql in QUERIES.items():
        yield from scaled(
            f"AN2{name}", sql, ask_events(sql), Size(300, 2), *(Size(rows, 20) for rows in (5_000, 10_000, 100_000)), peers=PEERS
        )
    for dimensions in (128, 768):
        sizes = (Size(200, 2), Size(1_000, 5)) if dimensions == 128 else (NOTHING, NOTHING)
        more = {"settings": "mmap", "dearer": True}
        yield Loop(f"VE1.v1/{dimensions}", "vectors as blobs, 500 a transaction", add_vectors(dimensions), *sizes, Size(10_000, 1),
                   peers=PEERS, storage=True, **more)  # fmt: skip
        yield Loop(f"VE2.v1/{dimensions}", "the client reads all and compares", compare_in_client(dimensions), *sizes,
                   Size(10_000, 20), peers=PEERS, **more)  # fmt: skip
        yield Loop(f"VE3.v1/{dimensions}", "the same question to vec0", virtual_table(dimensions, "L2"), *sizes, Size(10_000, 20),
                   extension="vec0", absent=dict.fromkeys(("duckdb", "sochdb"), "has no vec0"), **more)  # fmt: skip
    for number, kind, operations in ((1, "write", 1_000), (2, "read", 10_000), (3, "batch", 1_000)):
        yield Loop(f"MI{number}.v1/{kind}", "256 bytes, 10,000 there", micro(kind), Size(300, 50), Size(10_000, operations),
                   Size(10_000, operations), settings="mmap", peers=("apsw", "sochdb"))  # fmt: skip


LOOPS = tuple(loops())
