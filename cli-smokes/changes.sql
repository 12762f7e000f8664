-- cli-smokes/changes.sql: .changes on prints how many rows each statement changed.
.changes on
CREATE TABLE t(a);
INSERT INTO t VALUES(1), (2), (3);
UPDATE t SET a = a + 1 WHERE a > 1;
SELECT '110', a FROM t;
DELETE FROM t;
INSERT INTO t SELECT value FROM generate_series(1, 1000);
UPDATE nowhere SET a = 1;
.changes off
DELETE FROM t;
