"""libSQL, the fork of SQLite with its own vectors."""

from importlib.metadata import version as installed

import libsql


def version():
    found = libsql.connect(":memory:").execute("SELECT sqlite_version()").fetchone()
    return f"{installed('libsql')} {found[0]}"


class Engine:
    def __init__(self, path):
        self.db = libsql.connect(path, isolation_level=None)

    def setting(self, sql):
        self.db.execute(sql).fetchall()

    def prepare(self, statements):
        self.statements = statements

    def run(self, call, values):
        return self.db.execute(self.statements[call] if isinstance(call, int) else call, values).fetchall()

    def close(self):
        self.db.close()
