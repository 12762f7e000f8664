-- cli-smokes/ext-stats.sql: aggregates and the same over windows.
-- args: test.db
-- ours-only: native shells load no components
.load stats
CREATE TABLE t(x);
INSERT INTO t VALUES(1), (2), (3), (10), (NULL);
SELECT '110', median(x), percentile(x, 25) FROM t;
SELECT '120', round(stddev_samp(x), 9), round(stddev_pop(x), 9) FROM t;
SELECT '130', round(var_samp(x), 9), round(var_pop(x), 9) FROM t;
SELECT '140', x, median(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t;
SELECT '145', stats_median(x), stats_perc(x, 25), stats_p90(x), round(stats_stddev(x), 9), round(stats_var_pop(x), 9) FROM t;
SELECT stats_perc(x, 101) FROM t;
SELECT '150', median(x) FROM t WHERE x > 100;
SELECT '160', median(value) FROM (WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c WHERE value < 1001) SELECT value FROM c);
