"""Chroma with a database in a directory: its only search is its HNSW index."""

import chromadb
import numpy
from chromadb.config import Settings

NEIGHBOURS = 10
ROWS_PER_CALL = 5_000
"""Chroma takes no more than 5,461 at once."""


def version():
    return chromadb.__version__


class Engine:
    def __init__(self, path):
        # It reports how it is used unless that is switched off.
        self.client = chromadb.PersistentClient(path, Settings(anonymized_telemetry=False))
        # Without a function it never downloads a model.
        self.vectors = self.client.get_or_create_collection("vecs", metadata={"hnsw:space": "cosine"}, embedding_function=None)

    def setting(self, sql):
        pass

    def prepare(self, statements):
        pass

    def load(self, steps):
        rows = [(str(values[0]), numpy.frombuffer(values[1], "<f4")) for _, values, _ in steps if values]
        for at in range(0, len(rows), ROWS_PER_CALL):
            ids, vectors = zip(*rows[at : at + ROWS_PER_CALL])
            self.vectors.add(ids=list(ids), embeddings=numpy.stack(vectors))

    def run(self, call, values):
        vector = numpy.frombuffer(values[0], "<f4")[None]
        found = self.vectors.query(query_embeddings=vector, n_results=NEIGHBOURS, include=[])
        return [(int(id),) for id in found["ids"][0]]

    def close(self):
        pass
