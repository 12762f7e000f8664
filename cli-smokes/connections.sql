-- cli-smokes/connections.sql: two connections of one shell exclude each other by locks on the file.
CREATE TABLE t(a);
INSERT INTO t VALUES('one');
.connection 1
.open test.db
SELECT '110', a FROM t;
BEGIN IMMEDIATE;
INSERT INTO t VALUES('two');
.connection 0
SELECT '120 a reader sees the old state', group_concat(a) FROM t;
INSERT INTO t VALUES('busy');
BEGIN;
SELECT '130', count(*) FROM t;
.connection 1
COMMIT;
.connection 0
COMMIT;
.connection 1
COMMIT;
SELECT '140', group_concat(a) FROM t;
BEGIN EXCLUSIVE;
.connection 0
SELECT '150', a FROM t;
.timeout 20
SELECT '160', a FROM t;
.connection 1
COMMIT;
.connection
.connection close 0
.connection 0
.connection close 1
SELECT '170', group_concat(a) FROM t;
