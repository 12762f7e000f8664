"""LanceDB: vectors without an index, which it compares with all, or words by its index of them."""

import lancedb
import numpy
import pyarrow

NEIGHBOURS = 10


def version():
    return lancedb.__version__


class Engine:
    def __init__(self, path):
        self.db = lancedb.connect(path)
        self.table = self.db.open_table("rows") if "rows" in self.db.table_names() else None

    def setting(self, sql):
        pass

    def prepare(self, statements):
        pass

    def load(self, steps):
        ids, values = zip(*(values for _, values, _ in steps if values))
        if isinstance(values[0], str):
            table = self.db.create_table("rows", pyarrow.table({"id": ids, "body": values}))
            table.create_fts_index("body", use_tantivy=False, stem=False, remove_stop_words=False)
            return
        vectors = [numpy.frombuffer(value, "<f4") for value in values]
        column = pyarrow.array(vectors, pyarrow.list_(pyarrow.float32(), len(vectors[0])))
        self.db.create_table("rows", pyarrow.table({"id": ids, "vector": column}))

    def run(self, call, values):
        (asked,) = values
        if isinstance(asked, str):
            # Any of the words is enough for it, so it needs no OR.
            query = self.table.search(asked.replace(" OR ", " "), query_type="fts")
        else:
            query = self.table.search(numpy.frombuffer(asked, "<f4")).distance_type("cosine")
        return [(row["id"],) for row in query.select(["id"]).limit(NEIGHBOURS).to_list()]

    def close(self):
        pass
