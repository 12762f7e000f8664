"""SochDB's keys and values: each statement of the suite is one call of its interface."""

from importlib.metadata import version as installed

from sochdb import Database


def version():
    return installed("sochdb")


class Engine:
    def __init__(self, path):
        self.db = Database.open(path)
        self.transaction = None

    def setting(self, sql):
        pass

    def prepare(self, statements):
        self.statements = statements

    def run(self, call, values):
        sql = self.statements[call] if isinstance(call, int) else call
        owner = self.transaction or self.db
        match sql.split()[0]:
            case "BEGIN":
                self.transaction = self.db.transaction()
            case "COMMIT":
                self.transaction.commit()
                self.transaction = None
            case "INSERT":
                owner.put(*values)
            case "DELETE":
                owner.delete(*values)
            case "SELECT" if "COUNT" in sql:
                with self.db.transaction() as reading:
                    return [(sum(1 for _ in reading.scan()),)]
            case "SELECT":
                found = owner.get(*values)
                return [] if found is None else [(found,)]
            case other:
                raise ValueError(f"{other} is no call of SochDB")
        return []

    def close(self):
        self.db.close()
