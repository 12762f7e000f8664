"""SQLite through APSW, which is compiled with the version of `ref`; its cache keeps statements prepared."""

import apsw


def version():
    return f"{apsw.apsw_version()} {apsw.sqlite_lib_version()}"


class Engine:
    def __init__(self, path):
        self.db = apsw.Connection(path)
        self.cursor = self.db.cursor()

    def setting(self, sql):
        list(self.cursor.execute(sql))

    def prepare(self, statements):
        self.statements = statements

    def run(self, call, values):
        if isinstance(call, int):
            return self.cursor.execute(self.statements[call], values).fetchall()
        # What comes as text is prepared each time, as by all players.
        return self.cursor.execute(call, values, can_cache=False).fetchall()

    def close(self):
        self.cursor.close()
        self.db.close()
