"""LanceDB without an index: it compares with all vectors."""

import lancedb
import numpy
import pyarrow

NEIGHBOURS = 10


def version():
    return lancedb.__version__


class Engine:
    def __init__(self, path):
        self.db = lancedb.connect(path)
        self.table = self.db.open_table("vecs") if "vecs" in self.db.table_names() else None

    def setting(self, sql):
        pass

    def prepare(self, statements):
        pass

    def load(self, steps):
        rows = [(values[0], numpy.frombuffer(values[1], "<f4")) for _, values, _ in steps if values]
        vectors = pyarrow.array([vector for _, vector in rows], pyarrow.list_(pyarrow.float32(), len(rows[0][1])))
        self.db.create_table("vecs", pyarrow.table({"id": [id for id, _ in rows], "vector": vectors}))

    def run(self, call, values):
        query = self.table.search(numpy.frombuffer(values[0], "<f4")).distance_type("cosine")
        return [(row["id"],) for row in query.select(["id"]).limit(NEIGHBOURS).to_list()]

    def close(self):
        pass
