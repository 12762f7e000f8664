-- cli-smokes/ext-regexp.sql: the REGEXP operator and its functions.
-- args: test.db
-- ours-only: native shells load no components
.load regexp
SELECT '110', 'abc123' REGEXP '[0-9]+', 'abc' REGEXP '[0-9]+';
SELECT '120', regexp_like('the year is 2021', '[0-9]{4}');
SELECT '130', regexp_substr('the year is 2021', '[0-9]+');
SELECT '140', regexp_replace('2021-10-09', '([0-9]+)-([0-9]+)', '$2/$1');
SELECT '150', regexp_capture('years 1999 and 2021', '([0-9]+) and ([0-9]+)', 2);
SELECT '160', NULL REGEXP 'a', 'a' REGEXP NULL;
SELECT 'a' REGEXP '(';
SELECT '170', count(*) FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000) SELECT x FROM c WHERE x REGEXP '^[0-9]*7$');
