-- cli-smokes/readonly.sql: -readonly reads and refuses to write, to the file and to new files.
-- before: test.db "CREATE TABLE t(a); INSERT INTO t VALUES('before')"
-- before: -readonly missing.db "SELECT count(*) FROM sqlite_schema"
-- args: -readonly
SELECT '110', a FROM t;
INSERT INTO t VALUES('never');
CREATE TABLE u(x);
PRAGMA user_version = 5;
CREATE TEMP TABLE x AS SELECT a FROM t;
SELECT '120', a FROM x;
BEGIN IMMEDIATE;
VACUUM;
SELECT '130', count(*) FROM t;
