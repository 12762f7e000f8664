-- cli-smokes/recover.sql: .recover brings back a good database and what is left of a broken one.
PRAGMA page_size = 1024;
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE INDEX t_b ON t(b);
INSERT INTO t SELECT value, printf('row %04d', value) FROM generate_series(1, 500);
INSERT INTO w VALUES('one', 1.5), ('two', x'0102'), ('three', NULL);
.once good.sql
.recover
.open copy.db
.read good.sql
SELECT '110', count(*), min(b), max(b) FROM t;
SELECT '120', * FROM w;
PRAGMA integrity_check;
.open test.db
-- Page 1 loses its schema; all else is a lost root.
.dbconfig defensive off
PRAGMA writable_schema = ON;
DELETE FROM sqlite_schema WHERE name <> 'w';
PRAGMA writable_schema = OFF;
.open test.db
.once lost.sql
.recover --lost-and-found orphans
.open copy2.db
.read lost.sql
SELECT '130', count(*) FROM orphans WHERE c0 IS NULL;
.schema
SELECT '140', * FROM orphans WHERE id = 77;
-- A page of rubbish in the middle.
.open copy.db
.dbconfig defensive off
UPDATE sqlite_dbpage SET data = zeroblob(1024) WHERE pgno = 5;
.open copy.db
PRAGMA integrity_check(1);
.once broken.sql
.recover --ignore-freelist --no-rowids
.open copy3.db
.read broken.sql
SELECT '150', count(*) > 300 FROM t;
PRAGMA integrity_check;
.recover --nonsense
