-- input.sql: what `-- input` stands for in a script: 300 generated rows, from the seed :seed.
CREATE TABLE input(i INTEGER PRIMARY KEY, n INTEGER, r REAL, t TEXT, b BLOB);
WITH RECURSIVE
  g(i, x) AS (SELECT 1, :seed UNION ALL SELECT i + 1, (x * 1103515245 + 12345) % 2147483648 FROM g WHERE i < 300),
  s(i, x, a, b, c) AS (SELECT i, x, x / 65536 % 16, x / 1048576 % 5, x / 16777216 % 24 FROM g)
INSERT INTO input SELECT i,
  CASE i % 4 WHEN 0 THEN c WHEN 1 THEN x - 1073741824 WHEN 2 THEN (x - 1073741824) * 2147483647 + c ELSE -a END,
  CASE i % 3 WHEN 0 THEN (x - 1073741824) / 1024.0 WHEN 1 THEN x * 1e-9 ELSE (x - 1073741824) * exp(c * 12 - 140) END,
  substr('bcdfghklmnprstvw', 1 + a, 1) || substr('aeiou', 1 + b, 1) || substr('bcdfghklmnprstvw', 1 + c % 16, 1)
    || substr('eaoiuEAOIU', 1 + a % 10, 1 + i % 2) || CASE i % 10 WHEN 7 THEN 'ß' WHEN 8 THEN 'é' WHEN 9 THEN c ELSE '' END,
  substr(unhex(printf('%08x', x)) || unhex(printf('%016x', x * 1103515245)), 1, i % 13)
FROM s;
SELECT 'input', count(*), count(DISTINCT t) > 200 FROM input;
