-- cli-smokes/deserialize.sql: -deserialize and .open --deserialize work in memory and leave the file alone.
-- before: test.db "CREATE TABLE t(a); INSERT INTO t VALUES('in the file')"
-- before: -deserialize test.db "INSERT INTO t VALUES('lost')" "SELECT count(*) FROM t"
SELECT '110', count(*) FROM t;
.open --deserialize test.db
INSERT INTO t SELECT value FROM generate_series(1, 10000);
SELECT '120', count(*) FROM t;
PRAGMA integrity_check;
.save saved.db
.open test.db
SELECT '130', count(*) FROM t;
.open saved.db
SELECT '140', count(*) FROM t;
.open --deserialize missing.db
SELECT '150', count(*) FROM sqlite_schema;
