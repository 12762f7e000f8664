-- loads: decimal
-- input
SELECT a.i, decimal_add(a.n, b.n), decimal_sub(a.n, b.n), decimal_mul(a.n, b.n), decimal_cmp(a.n, b.n) FROM input a JOIN input b ON b.i = 301 - a.i;
SELECT i, decimal(r) FROM input WHERE i % 3 = 0;
SELECT i, decimal_add(n || '.' || i, '0.' || abs(n)), decimal_mul(n || '.5', '1e3'), decimal_exp(n) FROM input WHERE n > -1000;
SELECT decimal_sum(n), decimal_sum(i || '.125') FROM input;
SELECT group_concat(n) FROM (SELECT n FROM input ORDER BY n || '.0' COLLATE decimal LIMIT 50);
SELECT sum(decimal_cmp(n, i)) OVER (ORDER BY i) FROM input LIMIT 5;
SELECT decimal(NULL), decimal('abc'), decimal('1e400') IS NULL, decimal(x'3132');
SELECT decimal_add(1);
