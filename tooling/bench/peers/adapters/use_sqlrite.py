"""SQLRite, whose wheel prepares each text anew."""

from importlib.metadata import version as installed

import sqlrite


def version():
    return installed("sqlrite")


class Engine:
    def __init__(self, path):
        self.db = sqlrite.connect(path)
        self.cursor = self.db.cursor()

    def setting(self, sql):
        if not sql.startswith("PRAGMA"):
            self.cursor.execute(sql)

    def prepare(self, statements):
        self.statements = statements

    def run(self, call, values):
        self.cursor.execute(self.statements[call] if isinstance(call, int) else call, values)
        return self.cursor.fetchall() if self.cursor.description else []

    def close(self):
        self.db.close()
