"""Vectors: exact search, search by bits, and together with words."""

from ..generator import Generator
from ..tape import Statement, Work
from .loop import Size, loaded, single
from .text import any_of, documents, questions

NEIGHBOURS = 10


def raw_bytes(size: Size, dimensions: int) -> int:
    """Of ids and vectors."""
    return size.rows * (8 + 4 * dimensions)


def nearest(dimensions: int):
    def make(size: Size, numbers: Generator, dialect: str) -> Work:
        rows = [(id, numbers.vector(dimensions)) for id in range(1, size.rows + 1)]
        asked = [(numbers.vector(dimensions),) for _ in range(size.operations)]
        if dialect == "sqlrite":
            schema = f"CREATE TABLE vecs(id INTEGER PRIMARY KEY, embedding VECTOR({dimensions}))"
            select = f"SELECT id FROM vecs ORDER BY vec_distance_cosine(embedding, ?) ASC LIMIT {NEIGHBOURS}"
        elif dialect in ("turso", "libsql"):
            schema = "CREATE TABLE vecs(id INTEGER PRIMARY KEY, embedding BLOB)"
            select = f"SELECT id FROM vecs ORDER BY vector_distance_cos(embedding, ?) LIMIT {NEIGHBOURS}"
        else:
            schema = "CREATE TABLE vecs(id INTEGER PRIMARY KEY, embedding BLOB)"
            select = f"SELECT id FROM vecs ORDER BY vec_distance_cosine(embedding, ?) LIMIT {NEIGHBOURS}"
        return Work([schema], loaded(rows), single(asked), ["INSERT INTO vecs(id, embedding) VALUES (?, ?)"],
                    [Statement(select, ids=True)], warmup=1, raw_bytes=raw_bytes(size, dimensions))  # fmt: skip

    return make


def indexed(dimensions: int):
    """By an index of each engine: ours is `ann`. All look for the ten nearest, as their defaults have it."""

    def make(size: Size, numbers: Generator, dialect: str) -> Work:
        rows = [(id, numbers.vector(dimensions)) for id in range(1, size.rows + 1)]
        asked = [(numbers.vector(dimensions),) for _ in range(size.operations)]
        schema, insert, select = INDEXED.get(dialect, INDEXED["ann"])
        return Work([each.format(dimensions=dimensions) for each in schema], loaded(rows), single(asked), [insert],
                    [Statement(select, ids=True, approximate=True)], warmup=1, raw_bytes=raw_bytes(size, dimensions))  # fmt: skip

    return make


INSERT = "INSERT INTO vecs(id, embedding) VALUES (?, ?)"
INDEXED = {
    "ann": (["CREATE VIRTUAL TABLE vecs USING ann(embedding float[{dimensions}] distance=cosine)"],
            "INSERT INTO vecs(rowid, embedding) VALUES (?, ?)",
            f"SELECT rowid FROM vecs WHERE embedding MATCH ? AND k = {NEIGHBOURS}"),
    "sqlrite": (["CREATE TABLE vecs(id INTEGER PRIMARY KEY, embedding VECTOR({dimensions}))",
                 "CREATE INDEX vecs_hnsw ON vecs USING hnsw (embedding) WITH (metric = 'cosine')"],
                INSERT, f"SELECT id FROM vecs ORDER BY vec_distance_cosine(embedding, ?) ASC LIMIT {NEIGHBOURS}"),
    "libsql": (["CREATE TABLE vecs(id INTEGER PRIMARY KEY, embedding F32_BLOB({dimensions}))",
                "CREATE INDEX vecs_index ON vecs(libsql_vector_idx(embedding, 'metric=cosine'))"],
               INSERT, f"SELECT id FROM vector_top_k('vecs_index', ?, {NEIGHBOURS})"),
}  # fmt: skip
"""Schema, insertion and search by dialect."""


def virtual_table(dimensions: int, metric: str = "cosine"):
    """vec0's own table, as suite `vector` and VE3 have it."""

    def make(size: Size, numbers: Generator, _: str) -> Work:
        rows = [(id, numbers.vector(dimensions)) for id in range(1, size.rows + 1)]
        asked = [(numbers.vector(dimensions),) for _ in range(size.operations)]
        schema = f"CREATE VIRTUAL TABLE v USING vec0(e float[{dimensions}] distance_metric={metric})"
        select = f"SELECT rowid FROM v WHERE e MATCH ? AND k = {NEIGHBOURS}"
        return Work([schema], loaded(rows), single(asked), ["INSERT INTO v(rowid, e) VALUES (?, ?)"],
                    [Statement(select, ids=True)], warmup=1)  # fmt: skip

    return make


def virtual_insert(dimensions: int, metric: str = "cosine"):
    def make(size: Size, numbers: Generator, _: str) -> Work:
        insert = "INSERT INTO v(rowid, e) VALUES (?, ?)"
        rows = [(0, (id, numbers.vector(dimensions))) for id in range(1, size.rows + 1)]
        schema = f"CREATE VIRTUAL TABLE v USING vec0(e float[{dimensions}] distance_metric={metric})"
        return Work([schema], (), [[("BEGIN", ()), *rows, ("COMMIT", ())]], statements=[Statement(insert)],
                    gate=["SELECT rowid, e FROM v ORDER BY rowid"], rows_written=size.rows, raw_bytes=raw_bytes(size, dimensions))  # fmt: skip

    return make


def quantised(dimensions: int):
    """Two hundred by the distance of bits, ten of them by their exact distance."""

    def make(size: Size, numbers: Generator, _: str) -> Work:
        rows = [(id, numbers.vector(dimensions)) for id in range(1, size.rows + 1)]
        asked = [(vector, vector) for vector in (numbers.vector(dimensions) for _ in range(size.operations))]
        schema = ["CREATE TABLE vecs(id INTEGER PRIMARY KEY, embedding BLOB)",
                  f"CREATE VIRTUAL TABLE bits USING vec0(b bit[{dimensions}])"]  # fmt: skip
        # 200 is a literal in the text, as sqlite-vec plans by it.
        select = (
            "SELECT vecs.id FROM (SELECT rowid AS id FROM bits WHERE b MATCH vec_quantize_binary(?2) AND k = 200) AS near"
            f" CROSS JOIN vecs ON vecs.id = near.id ORDER BY vec_distance_cosine(vecs.embedding, ?1) LIMIT {NEIGHBOURS}"
        )
        loads = ["INSERT INTO vecs(id, embedding) VALUES (?, ?)",
                 "INSERT INTO bits(rowid, b) VALUES (?, vec_quantize_binary(?))"]  # fmt: skip

        def setup():
            yield from loaded(rows, 0)
            yield from loaded(rows, 1)

        return Work(schema, setup(), single(asked), loads, [Statement(select, ids=True, approximate=True)], warmup=1,
                    raw_bytes=raw_bytes(size, dimensions))  # fmt: skip

    return make


WEIGHTED = """SELECT d.id FROM words AS f JOIN docs AS d ON d.id = f.rowid WHERE words MATCH ?1
ORDER BY 0.5 * (1 + bm25(words) / 10.0) + 0.5 * vec_distance_cosine(d.embedding, ?2), d.id LIMIT 10"""

WEIGHTED_IN_SQLRITE = """SELECT id FROM docs WHERE fts_match(body, ?)
ORDER BY 0.5 * (1.0 - bm25_score(body, ?) / 10.0) + 0.5 * vec_distance_cosine(embedding, ?) ASC LIMIT 10"""

RANKS = """WITH near AS (SELECT id, row_number() OVER (ORDER BY distance, id) AS place FROM
    (SELECT id, vec_distance_cosine(embedding, ?2) AS distance FROM docs ORDER BY 2, 1 LIMIT 100)),
  said AS (SELECT rowid AS id, row_number() OVER (ORDER BY rank, rowid) AS place FROM
    (SELECT rowid, rank FROM words WHERE words MATCH ?1 ORDER BY rank, rowid LIMIT 100))
SELECT id FROM (SELECT * FROM near UNION ALL SELECT * FROM said)
GROUP BY id ORDER BY sum(1.0 / (60 + place)) DESC, id LIMIT 10"""


def hybrid(form: str, dimensions: int = 384):
    def make(size: Size, numbers: Generator, dialect: str) -> Work:
        bodies = documents(size.rows, numbers, zipf=False)
        vectors = [numbers.vector(dimensions) for _ in bodies]
        asked = [(text, numbers.vector(dimensions)) for text in questions(64, numbers, zipf=False)]
        if dialect == "sqlrite":
            schema = [f"CREATE TABLE docs(id INTEGER PRIMARY KEY, body TEXT, embedding VECTOR({dimensions}))",
                      "CREATE INDEX docs_words ON docs USING fts (body)"]  # fmt: skip
            both = ((any_of(text), any_of(text), vector) for text, vector in asked[: size.operations])
            return Work(schema, loaded(zip(range(1, size.rows + 1), bodies, vectors)), single(both),
                        ["INSERT INTO docs(id, body, embedding) VALUES (?, ?, ?)"], [Statement(WEIGHTED_IN_SQLRITE, ids=True)],
                        warmup=1)  # fmt: skip
        schema = ["CREATE VIRTUAL TABLE words USING fts5(body)", "CREATE TABLE docs(id INTEGER PRIMARY KEY, embedding BLOB)"]
        loads = ["INSERT INTO words(rowid, body) VALUES (?, ?)", "INSERT INTO docs(id, embedding) VALUES (?, ?)"]

        def setup():
            yield from loaded(enumerate(bodies, 1), 0)
            yield from loaded(enumerate(vectors, 1), 1)

        select = Statement({"weighted": WEIGHTED, "ranks": RANKS}[form], ids=True)
        return Work(schema, setup(), single(asked[: size.operations]), loads, [select], warmup=1)

    return make
