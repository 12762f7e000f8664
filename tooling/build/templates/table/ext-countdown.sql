-- cli-smokes/ext-countdown.sql: the extension countdown.
-- args: test.db
-- ours-only: native shells load no components
.load countdown
SELECT '110', value FROM countdown(2);
SELECT '120', count(*) FROM countdown(NULL);
SELECT '130', n, value FROM (VALUES (0), (1)) AS t, countdown(t.column1), (SELECT 7 AS n);
SELECT * FROM countdown;
