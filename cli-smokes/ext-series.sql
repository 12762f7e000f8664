-- cli-smokes/ext-series.sql: generate_series as an extension, with what it takes over.
-- args: test.db
-- ours-only: native shells load no components
.load series
SELECT '110', group_concat(value) FROM generate_series(1, 5);
SELECT '120', group_concat(value) FROM generate_series(10, 1, -3);
SELECT '130', group_concat(value) FROM (SELECT value FROM generate_series(1, 10) ORDER BY value DESC LIMIT 3);
SELECT '140', group_concat(value) FROM (SELECT value FROM generate_series(1, 10) LIMIT 2 OFFSET 4);
SELECT '150', group_concat(value) FROM generate_series(1, 100) WHERE value BETWEEN 40 AND 43;
SELECT '160', count(*), sum(value) FROM generate_series(1, 100000);
SELECT '170', group_concat(value) FROM generate_series(9223372036854775805, 9223372036854775807);
SELECT '180', group_concat(value) FROM generate_series(-9223372036854775808, -9223372036854775806);
SELECT '190', count(*) FROM generate_series(NULL, 5);
SELECT '200', group_concat(value) FROM generate_series(1, 3, 0);
SELECT '210', a.value, b.value FROM generate_series(1, 2) a, generate_series(a.value, 2) b;
SELECT '220', start, stop, step FROM generate_series(1, 9, 4) LIMIT 1;
SELECT '230', name FROM pragma_module_list WHERE name = 'generate_series';
