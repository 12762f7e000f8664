-- cli-smokes/intck-progress.sql: .intck, .progress limits, .timeout and .auth.
PRAGMA page_size = 1024;
CREATE TABLE t(a INTEGER PRIMARY KEY, b);
INSERT INTO t SELECT value, 'row '||value FROM generate_series(1, 100);
CREATE INDEX t_b ON t(b);
.intck
.intck 5
.progress 1000 --limit 3
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c;
.progress 0
SELECT '110', count(*) FROM t;
.timeout 100
PRAGMA busy_timeout;
.auth on
SELECT '120', b FROM t WHERE a = 1;
.auth off
SELECT '130';
