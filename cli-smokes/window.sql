-- cli-smokes/window.sql: window functions, frames, EXCLUDE, FILTER, chained windows.
CREATE TABLE s(g, n INTEGER, v REAL);
INSERT INTO s VALUES('a', 1, 10), ('a', 2, 20), ('a', 2, 25), ('a', 4, 5), ('b', 1, 7), ('b', 3, NULL), ('b', 9, 1);
.nullvalue -
SELECT '110', g, n, row_number() OVER w, rank() OVER w, dense_rank() OVER w, ntile(2) OVER w,
  percent_rank() OVER w, cume_dist() OVER w FROM s WINDOW w AS (PARTITION BY g ORDER BY n) ORDER BY g, n, v;
SELECT '120', n, lag(v) OVER w, lead(v, 2, 'none') OVER w, first_value(v) OVER w, last_value(v) OVER w, nth_value(v, 2) OVER w
  FROM s WINDOW w AS (PARTITION BY g ORDER BY n, v) ORDER BY g, n, v;
SELECT '130', n, sum(v) OVER (ORDER BY n, v ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING),
  sum(v) OVER (ORDER BY n RANGE BETWEEN 1 PRECEDING AND CURRENT ROW),
  count(*) OVER (ORDER BY n GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING EXCLUDE TIES),
  group_concat(g, '') FILTER (WHERE v > 5) OVER (ORDER BY n, v, g ROWS UNBOUNDED PRECEDING) FROM s ORDER BY n, v, g;
SELECT '140', g, total(v) OVER (base ORDER BY n DESC, v), max(n) OVER base FROM s WINDOW base AS (PARTITION BY g) ORDER BY g, n, v;
SELECT '150', round(avg(value) OVER (ORDER BY value ROWS 3 PRECEDING), 3) FROM generate_series(1, 6);
SELECT '160', sum(x) FROM (SELECT sum(value) OVER (ORDER BY value ROWS BETWEEN 50 PRECEDING AND 50 FOLLOWING) AS x FROM generate_series(1, 3000));
SELECT row_number() FROM s;
SELECT sum(v) OVER (ORDER BY n ROWS -1 PRECEDING) FROM s;
