"""DuckDB with two threads and 2 GB; the set-up inserts columns at once, since its single rows are slow."""

import duckdb
import numpy

ROWS_AT_ONCE = 100_000


def version():
    return duckdb.__version__


class Engine:
    def __init__(self, path):
        self.db = duckdb.connect(path, config={"threads": 2, "memory_limit": "2GB"})

    def setting(self, sql):
        self.db.execute(sql)

    def prepare(self, statements):
        self.statements = statements

    def run(self, call, values):
        sql = self.statements[call] if isinstance(call, int) else call
        found = self.db.execute(sql, values)
        # For a change it returns the count of rows.
        return found.fetchall() if sql.startswith("SELECT") else []

    def load(self, steps):
        waiting, place = [], None
        for call, values, _ in steps:
            if call != place or len(waiting) == ROWS_AT_ONCE:
                self.insert(place, waiting)
                waiting, place = [], call
            if isinstance(call, int):
                waiting.append(values)
        self.insert(place, waiting)

    def insert(self, place, rows):
        if rows:
            columns = {f"c{number}": column(values) for number, values in enumerate(zip(*rows))}
            self.db.register("loaded", columns)
            self.db.execute(f"{self.statements[place].rpartition('VALUES')[0]} SELECT * FROM loaded")
            self.db.unregister("loaded")

    def close(self):
        self.db.close()


def column(values):
    return numpy.array(values) if isinstance(values[0], (int, float)) else numpy.array(values, dtype=object)
