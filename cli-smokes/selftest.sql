-- cli-smokes/selftest.sql: .selftest --init makes a table of tests, .selftest runs them and finds changes.
CREATE TABLE t(a, b);
INSERT INTO t VALUES(1, 'x'), (2, 'y');
.selftest --init
.selftest
SELECT '110', tno, op, cmd, ans FROM selftest;
UPDATE t SET b = 'z' WHERE a = 2;
.selftest
INSERT INTO selftest(tno, op, cmd, ans) VALUES(500, 'run', 'SELECT count(*) FROM t', '2'), (510, 'memo', 'a note', NULL);
.selftest -v
