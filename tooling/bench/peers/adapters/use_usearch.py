"""Exact search of usearch: vectors in memory, by one thread, no SQL. The set-up writes them to a file."""

import numpy
import usearch
from usearch.index import MetricKind, search

NEIGHBOURS = 10


def version():
    return usearch.__version__


class Engine:
    def __init__(self, path):
        self.path = path
        try:
            with open(path, "rb") as file:
                self.vectors = numpy.load(file)
        except FileNotFoundError:
            self.vectors = None

    def setting(self, sql):
        pass

    def prepare(self, statements):
        pass

    def load(self, steps):
        rows = [numpy.frombuffer(values[1], "<f4") for _, values, _ in steps if values]
        with open(self.path, "wb") as file:
            numpy.save(file, numpy.stack(rows))

    def run(self, call, values):
        query = numpy.frombuffer(values[0], "<f4")
        found = search(self.vectors, query, NEIGHBOURS, MetricKind.Cos, exact=True, threads=1)
        return [(int(key) + 1,) for key in found.keys]

    def close(self):
        pass
