"""Turso's rewrite of SQLite."""

from importlib.metadata import version as installed

import turso


def version():
    return installed("pyturso")


class Engine:
    def __init__(self, path, **more):
        self.db = turso.connect(path, isolation_level=None, **more)

    def setting(self, sql):
        # It does not know all of SQLite's.
        try:
            self.db.execute(sql).fetchall()
        except Exception:
            if not sql.startswith("PRAGMA"):
                raise

    def prepare(self, statements):
        self.statements = statements

    def run(self, call, values):
        return self.db.execute(self.statements[call] if isinstance(call, int) else call, values).fetchall()

    def close(self):
        self.db.close()
