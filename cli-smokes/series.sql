-- cli-smokes/series.sql: generate_series: steps, descending, ends of the range, joins, LIMIT.
-- args: :memory:
SELECT '110', group_concat(value) FROM generate_series(5, 25, 5);
SELECT '120', group_concat(value) FROM generate_series(10, 1, -3);
SELECT '130', group_concat(value) FROM (SELECT value FROM generate_series(1) LIMIT 4);
SELECT '140', count(*) FROM generate_series(5, 1);
SELECT '150', group_concat(value) FROM (SELECT value FROM generate_series(9223372036854775800, 9223372036854775807, 3));
SELECT '160', value FROM generate_series(1, 1000000) WHERE value BETWEEN 499999 AND 500001 ORDER BY value DESC;
SELECT '170', a.value, b.value FROM generate_series(1, 3) a JOIN generate_series(a.value, 3) b;
SELECT '180', value, start, stop, step FROM generate_series WHERE start = 2 AND stop = 8 AND step = 3;
SELECT '190', count(*) FROM generate_series(1, 1000000);
SELECT '200', value FROM generate_series;
