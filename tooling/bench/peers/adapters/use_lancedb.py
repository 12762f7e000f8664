"""LanceDB: vectors without an index, which it compares with all, words by its index of them, and both by their ranks."""

import lancedb
import numpy
import pyarrow
from lancedb.rerankers import RRFReranker

NEIGHBOURS = 10
# Of W12r: the best hundred of each kind, and the constant of reciprocal ranks.
RANKED, RANK_OFFSET = 100, 60


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
        rows = [values for _, values, _ in steps if values]
        texts, vectors = ({id: value for id, value in rows if isinstance(value, kind)} for kind in (str, bytes))
        columns = {"id": list(texts or vectors)}
        if texts:
            columns["body"] = list(texts.values())
        if vectors:
            numbers = [numpy.frombuffer(value, "<f4") for value in vectors.values()]
            columns["vector"] = pyarrow.array(numbers, pyarrow.list_(pyarrow.float32(), len(numbers[0])))
        table = self.db.create_table("rows", pyarrow.table(columns))
        if texts:
            table.create_fts_index("body", use_tantivy=False, stem=False, remove_stop_words=False)

    def run(self, call, values):
        words = [words_of(value) for value in values if isinstance(value, str)]
        vectors = [numpy.frombuffer(value, "<f4") for value in values if isinstance(value, bytes)]
        count = NEIGHBOURS
        if words and vectors:
            query = self.table.search(query_type="hybrid").text(*words).vector(*vectors).distance_type("cosine")
            query, count = query.rerank(RRFReranker(K=RANK_OFFSET)), RANKED
        elif words:
            query = self.table.search(*words, query_type="fts")
        else:
            query = self.table.search(*vectors).distance_type("cosine")
        return [(row["id"],) for row in query.select(["id"]).limit(count).to_list()[:NEIGHBOURS]]

    def close(self):
        pass


def words_of(question):
    """Any of the words is enough for it, so it needs no OR."""
    return question.replace(" OR ", " ")
