"""Suite `sqlrite`, W1 to W13 of SQLRite's benchmark."""

from itertools import chain

from ..generator import Generator, hexadecimal
from ..tape import Statement, Work
from .loop import BLOCK, Loop, Size, loaded, single, transaction
from .text import any_of, documents, questions
from .vectors import hybrid, indexed, nearest, quantised

TABLE_PEERS = ("apsw", "duckdb", "turso", "sqlrite", "node-sqlite3-wasm", "sql.js", "go-sqlite3")
SQLITES = ("apsw", "turso", "node-sqlite3-wasm", "sql.js", "go-sqlite3")
WIDTH = 64


def payload(number: int) -> str:
    return hexadecimal(number, WIDTH)


KV = "CREATE TABLE kv(id INTEGER PRIMARY KEY, name TEXT, payload TEXT)"
KV2 = ["CREATE TABLE kv2(id INTEGER PRIMARY KEY, secondary INTEGER, payload TEXT)",
       "CREATE UNIQUE INDEX kv2_secondary ON kv2(secondary)"]  # fmt: skip
INSERT_KV = "INSERT INTO kv(id, name, payload) VALUES (?, ?, ?)"


def kv_rows(rows: int):
    return ((id, f"user_{id}", payload(id)) for id in range(1, rows + 1))


def read_by_key(size: Size, numbers: Generator, _: str) -> Work:
    probes = [(numbers.between(1, size.rows),) for _ in range(size.operations)]
    return Work(
        [KV], loaded(kv_rows(size.rows)), single(probes), [INSERT_KV],
        [Statement("SELECT name, payload FROM kv WHERE id = ?")], block=BLOCK, warmup=min(1000, size.operations),
    )  # fmt: skip


def kv2(size: Size, numbers: Generator, statements: list[Statement], timed, **more) -> Work:
    secondary = numbers.shuffled(range(1, size.rows + 1))
    rows = ((id, secondary[id - 1], payload(id)) for id in range(1, size.rows + 1))
    insert = "INSERT INTO kv2(id, secondary, payload) VALUES (?, ?, ?)"
    return Work(KV2, loaded(rows), timed(numbers), [insert], statements, **more)


def ranges(width: int):
    def make(size: Size, numbers: Generator, _: str) -> Work:
        wide = min(width, size.rows)

        def timed(numbers: Generator):
            lows = [numbers.between(1, size.rows - wide + 1) for _ in range(size.operations)]
            return single((low, low + wide - 1) for low in lows)

        select = "SELECT id, secondary, payload FROM kv2 WHERE secondary >= ? AND secondary <= ?"
        return kv2(size, numbers, [Statement(select, unordered=True)], timed, warmup=1)

    return make


def bulk_insert(size: Size, _: Generator, __: str) -> Work:
    return Work([KV], (), transaction(kv_rows(size.rows)), statements=[Statement(INSERT_KV)],
                gate=["SELECT id, name, payload FROM kv ORDER BY id"], close=True,
                rows_written=size.rows, raw_bytes=size.rows * (8 + WIDTH + 10))  # fmt: skip


def single_insert(size: Size, _: Generator, __: str) -> Work:
    rows = ((id, payload(0)) for id in range(1, size.rows + 1))
    more = ((id, payload(0)) for id in range(size.rows + 1, size.rows + 1 + size.operations))
    insert = "INSERT INTO kv_writes(id, payload) VALUES (?, ?)"
    return Work(["CREATE TABLE kv_writes(id INTEGER PRIMARY KEY, payload TEXT)"], loaded(rows), single(more),
                [insert], [Statement(insert)], gate=["SELECT id, payload FROM kv_writes ORDER BY id"])  # fmt: skip


def mixed(size: Size, numbers: Generator, _: str) -> Work:
    def timed(numbers: Generator):
        for turn in range(size.operations):
            id = numbers.between(1, size.rows)
            yield [(1, (payload(size.rows + turn), id))] if turn % 2 else [(0, (id,))]

    statements = [Statement("SELECT id, secondary, payload FROM kv2 WHERE id = ?"), Statement("UPDATE kv2 SET payload = ? WHERE id = ?")]
    return kv2(size, numbers, statements, timed, gate=["SELECT id, secondary, payload FROM kv2 ORDER BY id"])


def index_lookup(size: Size, numbers: Generator, _: str) -> Work:
    def timed(numbers: Generator):
        return single((numbers.between(1, size.rows),) for _ in range(size.operations))

    select = Statement("SELECT id, payload FROM kv2 WHERE secondary = ?")
    return kv2(size, numbers, [select], timed, block=BLOCK, warmup=min(1000, size.operations))


def big(sql: str):
    def make(size: Size, _: Generator, __: str) -> Work:
        schema = "CREATE TABLE big(id INTEGER PRIMARY KEY, v INTEGER, k_10 INTEGER, k_1k INTEGER, k_100k INTEGER)"
        rows = ((id, 7 * id % 1000, id % 10, id % 1000, id % 100_000) for id in range(1, size.rows + 1))
        insert = "INSERT INTO big(id, v, k_10, k_1k, k_100k) VALUES (?, ?, ?, ?, ?)"
        return Work([schema], loaded(rows), single([()] * size.operations), [insert], [Statement(sql, unordered=True)], warmup=1)

    return make


def join(size: Size, numbers: Generator, _: str) -> Work:
    schema = [
        "CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT)",
        "CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INTEGER, amount INTEGER)",
        "CREATE INDEX orders_customer ON orders(customer_id)",
    ]
    loads = ["INSERT INTO customers(id, name) VALUES (?, ?)", "INSERT INTO orders(id, customer_id, amount) VALUES (?, ?, ?)"]

    def setup():
        ids = range(1, size.rows + 1)
        yield from loaded(((id, f"customer_{id}") for id in ids), 0)
        yield from loaded(((id, id, id % 10_000) for id in ids), 1)

    select = "SELECT c.id, c.name, o.amount FROM customers AS c INNER JOIN orders AS o ON c.id = o.customer_id WHERE c.id = ?"
    probes = [(numbers.between(1, size.rows),) for _ in range(size.operations)]
    return Work(schema, setup(), single(probes), loads, [Statement(select)], block=BLOCK, warmup=min(100, size.operations))


def writers(count: int):
    """Processes that begin together, each with its own tape; none of their updates may be lost."""

    def make(size: Size, numbers: Generator, _: str) -> Work:
        def tape() -> list:
            ids = [numbers.between(1, size.rows) for _ in range(size.operations)]
            return [[("BEGIN IMMEDIATE", ()), (0, (id,)), ("COMMIT", ())] for id in ids]

        first, *others = [tape() for _ in range(count)]
        table = "CREATE TABLE {}(id INTEGER PRIMARY KEY, n INTEGER NOT NULL)"
        setup = [*loaded((id, 0) for id in range(1, size.rows + 1)), *loaded([(1, 0)], 1)]
        meeting = {"arrive": "UPDATE meeting SET n = n + 1 WHERE id = 1", "look": "SELECT n FROM meeting WHERE id = 1", "count": count}
        return Work(
            [table.format("counters"), table.format("meeting")], setup, first,
            [f"INSERT INTO {name}(id, n) VALUES (?, ?)" for name in ("counters", "meeting")],
            [Statement("UPDATE counters SET n = n + 1 WHERE id = ?")], gate=["SELECT SUM(n) FROM counters"],
            others=others, meeting=meeting, ends_with=[f"i{count * size.operations}"],
        )  # fmt: skip

    return make


DOCUMENTS = "CREATE TABLE docs(id INTEGER PRIMARY KEY, body TEXT)"
INDEX_OF_WORDS = "CREATE INDEX docs_words ON docs USING fts (body)"


def search(count: int, zipf: bool):
    """BM25: the ten best of documents that have any of the words."""

    def make(size: Size, numbers: Generator, dialect: str) -> Work:
        setup = loaded(enumerate(documents(size.rows, numbers, zipf), 1))
        asked: list[tuple[str, ...]] = [(text,) for text in questions(count, numbers, zipf)]
        insert = "INSERT INTO docs(id, body) VALUES (?, ?)"
        if dialect == "sqlrite":
            schema = [DOCUMENTS, INDEX_OF_WORDS]
            select = "SELECT id FROM docs WHERE fts_match(body, ?) ORDER BY bm25_score(body, ?) DESC LIMIT 10"
            asked = [(any_of(text),) * 2 for (text, *_) in asked]
        elif dialect == "turso":
            # Its index takes minutes for rows that come one by one.
            schema, setup = [DOCUMENTS], chain(setup, [[(INDEX_OF_WORDS, ())]])
            select = "SELECT id FROM docs WHERE fts_match(body, ?1) ORDER BY fts_score(body, ?1) DESC LIMIT 10"
        else:
            schema = ["CREATE VIRTUAL TABLE docs USING fts5(body)"]
            select = "SELECT rowid FROM docs WHERE docs MATCH ? ORDER BY rank, rowid LIMIT 10"
            insert = "INSERT INTO docs(rowid, body) VALUES (?, ?)"
        return Work(schema, setup, single(asked[: size.operations]), [insert], [Statement(select, ids=True)], warmup=3)

    return make


def sizes(smoke: tuple, small: tuple, full: tuple) -> dict:
    return {"smoke": Size(*smoke), "small": Size(*small), "full": Size(*full)}


READS = sizes((300, 200), (10_000, 10_000), (100_000, 10_000))
PAIRS = sizes((300, 5), (10_000, 64), (100_000, 64))
SCANS = sizes((1_000, 2), (100_000, 5), (1_000_000, 3))
VECTORS = sizes((200, 3), (1_000, 16), (10_000, 64))
WORDS = sizes((200, 8), (1_000, 64), (1_000, 64))
BIGGER = sizes((300, 8), (10_000, 64), (100_000, 64))

LOOPS = (
    Loop("W1.v1", "read by primary key", read_by_key, **READS, peers=TABLE_PEERS),
    *(Loop(f"W2.v1/range-{name}", f"{width:,} rows by an index", ranges(width), **PAIRS, seed=43, peers=TABLE_PEERS)
      for name, width in (("100", 100), ("1k", 1_000), ("10k", 10_000))),
    Loop("W3.v1", "rows in one transaction, and closing", bulk_insert, **sizes((500, 1), (10_000, 1), (100_000, 1)),
         peers=TABLE_PEERS, storage=True, dearer=True),
    *(Loop(f"W4.v1/{settings}", "a transaction for each row", single_insert, **sizes((20, 10), (1_000, 200), (1_000, 1_000)),
           settings=settings, peers=TABLE_PEERS if settings == "tuned" else SQLITES, syncs=True,
           absent=dict.fromkeys(("duckdb", "sqlrite"), "has no rollback journal: see tuned")) for settings in ("tuned", "stock")),
    Loop("W5.v1", "reads and single updates in turn", mixed, **sizes((300, 50), (10_000, 2_000), (100_000, 10_000)), seed=43,
         peers=tuple(each for each in TABLE_PEERS if each != "duckdb"), absent={"duckdb": "the reference leaves it out"}),
    Loop("W6.v1", "lookup by a unique index", index_lookup, **READS, seed=43, peers=TABLE_PEERS),
    Loop("W7.v1", "sum of a column", big("SELECT SUM(v) FROM big"), **SCANS, peers=TABLE_PEERS, dearer=True),
    *(Loop(f"W8.v1/card-{name}", f"{name} groups", big(f"SELECT k_{name}, COUNT(*) FROM big GROUP BY k_{name}"), **SCANS,
           peers=TABLE_PEERS, dearer=True) for name in ("10", "1k", "100k")),
    Loop("W9.v1", "join of one customer with his orders", join, **sizes((200, 50), (1_000, 1_000), (10_000, 1_000)), seed=45,
         peers=TABLE_PEERS),
    Loop("W9b.v1", "the same at the size of the reference's plan", join, **sizes((300, 50), (10_000, 1_000), (100_000, 1_000)),
         seed=45, peers=TABLE_PEERS),
    Loop("W10.v1/brute-force", "ten nearest of 384 dimensions, cosine, exact", nearest(384), **VECTORS, seed=46, extension="vec0",
         storage=True, peers=("sqlrite", "turso", "libsql", "usearch", "lancedb"), absent={"chromadb": "has no exact search"}),
    Loop("W10.v1/hnsw", "the same by an index of the graph: ours is `ann`, libSQL's DiskANN", indexed(384), **VECTORS, seed=46,
         extension="ann", storage=True, exact="W10.v1/brute-force", peers=("sqlrite", "libsql", "usearch-hnsw", "chromadb"),
         absent={"turso": "has no such index", "lancedb": "has no index here: see brute-force"}),
    Loop("W10q.v1", "the same by bits first, then exact", quantised(384), **VECTORS, seed=46, extension="vec0", storage=True,
         # Of random vectors bits say little: the reference's two hundred of 10,000 hold three quarters of the ten nearest.
         exact="W10.v1/brute-force", least_recall=0.7,
         absent=dict.fromkeys(("sqlrite", "turso", "usearch", "lancedb", "chromadb"), "has no functions of sqlite-vec")),
    Loop("W11.v1", "BM25, 1,000 documents of 16 words", search(64, zipf=False), **WORDS, seed=47,
         peers=("apsw", "turso-words", "tantivy", "lancedb", "sqlrite-words")),
    Loop("W11b.v1", "BM25, Zipf words, a hundred hits and more", search(64, zipf=True), **BIGGER, seed=47,
         peers=("apsw", "turso-words", "tantivy", "lancedb", "sqlrite-words")),
    *(Loop(name, about, hybrid("weighted"), **size, seed=48, extension="vec0", peers=("sqlrite-words",),
           absent={"lancedb": "weighs other scores: see W12r"}) for name, about, size in (
        ("W12.v1", "BM25 and vectors, weighted", WORDS),
        ("W12b.v1", "the same of more documents", sizes((300, 8), (2_000, 32), (10_000, 64))))),
    Loop("W12r.v1", "BM25 and vectors, reciprocal ranks", hybrid("ranks"), **WORDS, seed=48, extension="vec0", peers=("lancedb",),
         absent={"sqlrite-words": "has no row_number"}),
    # Version 3: until all have done all, where version 2 took the time of the first. Enough transactions to meet; the
    # reference has 50.
    *(Loop(f"W13.v3/writers-{count}", f"{count} processes that write", writers(count),
           **sizes((100, 5), (1_000, 200), (1_000, 1_000)), peers=("apsw", "turso", "sqlrite"), writers=count) for count in (1, 2, 4, 8)),
)  # fmt: skip
