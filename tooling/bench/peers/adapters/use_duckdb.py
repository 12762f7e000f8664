"""DuckDB with two threads and 2 GB; the set-up inserts many rows at once, since its single rows are slow."""

import duckdb

ROWS_AT_ONCE = 500


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
        # Of a change it gives the number of rows.
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
            head = self.statements[place].rpartition("VALUES")[0]
            row = f"({', '.join('?' * len(rows[0]))})"
            self.db.execute(f"{head} VALUES {', '.join([row] * len(rows))}", [value for each in rows for value in each])

    def close(self):
        self.db.close()
