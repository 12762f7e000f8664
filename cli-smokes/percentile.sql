-- cli-smokes/percentile.sql: median, percentile and their kin, also as window functions.
-- args: :memory:
CREATE TABLE t(g, x);
INSERT INTO t SELECT value % 2, value * 1.5 FROM generate_series(1, 9);
SELECT '110', median(x), percentile(x, 25), percentile_cont(x, 0.75), percentile_disc(x, 0.75) FROM t;
SELECT '120', g, median(x) FROM t GROUP BY g;
SELECT '130', x, median(x) OVER (ORDER BY x ROWS 2 PRECEDING) FROM t;
SELECT '140', median(x) IS NULL FROM t WHERE 0;
SELECT '150', percentile(x, 10.5 + 0.5) FROM t WHERE x > 3;
SELECT percentile(x, 101) FROM t;
SELECT median('text') FROM t;
