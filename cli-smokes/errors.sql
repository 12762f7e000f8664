-- cli-smokes/errors.sql: each kind of error has its line, the script goes on, the exit code is 1.
CREATE TABLE t(a PRIMARY KEY NOT NULL, b CHECK(b > 0));
INSERT INTO t VALUES(1, 1);
SELEC 1;
SELECT nocolumn FROM t;
SELECT * FROM notable;
SELECT nofunction(1);
SELECT abs(1, 2);
INSERT INTO t VALUES(1, 1);
INSERT INTO t VALUES(NULL, 1);
INSERT INTO t VALUES(2, -1);
INSERT INTO t VALUES(1, 2, 3);
CREATE TABLE t(x);
CREATE INDEX i ON t(zzz);
DROP VIEW t;
SELECT (SELECT 1, 2);
SELECT 1 UNION SELECT 1, 2;
SELECT "dqs" FROM t;
SELECT a FROM t ORDER BY 7;
SELECT max(count(*)) FROM t;
SELECT x'0';
SELECT 'unclosed;
' ; SELECT '110';
SELECT 1 1;
SELECT '120' FROM t LIMIT 'x';
SELECT raise(ABORT, 'outside');
SELECT likelihood(1, 2);
SELECT zeroblob(2000000000);
PRAGMA nonsense;
.nonsense
.tables too many arguments
.mode
.open
.read missing.sql
.width x
.separator
SELECT '130', a FROM t;
SELECT '140 at the end without semicolon
