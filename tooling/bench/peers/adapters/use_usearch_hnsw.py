"""The graph of usearch, in memory and by one thread; the set-up writes it to a file."""

import os

import numpy
import usearch
from usearch.index import Index

NEIGHBOURS = 10


def version():
    return usearch.__version__


class Engine:
    def __init__(self, path):
        self.path = path
        self.index = Index.restore(path) if os.path.exists(path) else None

    def setting(self, sql):
        pass

    def prepare(self, statements):
        pass

    def load(self, steps):
        rows = [(values[0], numpy.frombuffer(values[1], "<f4")) for _, values, _ in steps if values]
        index = Index(ndim=len(rows[0][1]), metric="cos", dtype="f32")
        index.add(numpy.array([id for id, _ in rows]), numpy.stack([vector for _, vector in rows]), threads=1)
        index.save(self.path)

    def run(self, call, values):
        found = self.index.search(numpy.frombuffer(values[0], "<f4"), NEIGHBOURS, threads=1)
        return [(int(key),) for key in found.keys]

    def close(self):
        pass
