-- cli-smokes/dump-reals.sql: .dump keeps each real and integer exactly.
-- 1e100 is the trap: the shell asks whether it fits an integer, and a C compiler
-- may take that conversion for granted.
CREATE TABLE r(id INTEGER PRIMARY KEY, x);
INSERT INTO r(x) VALUES(1e100), (-1e100), (1e-300), (0.1), (1.0), (-0.0), (1e15), (1e16),
  (9007199254740993.0), (9223372036854775807), (-9223372036854775808), (9223372036854775807.0),
  (9223372036854775808), (-9223372036854775808.0), (-9223372036854775809), (1e308*10), (-1e308*10),
  (1.7976931348623157e308), (2.2250738585072014e-308), (5e-324), (3.141592653589793), (1.0/3),
  (123456789.125), (0), (-1), (1e18), (1e19), (4294967296.0), (2147483648), (1e308*10 - 1e308*10);
.dump r
.output r.sql
.dump r
.output
ATTACH 'copy.db' AS copy;
.open copy.db
.read r.sql
ATTACH 'test.db' AS old;
SELECT '110', count(*), sum(n.x IS o.x AND typeof(n.x) = typeof(o.x))
  FROM r AS n JOIN old.r AS o USING(id);
SELECT '120', id, n.x, typeof(n.x), o.x, typeof(o.x) FROM r AS n JOIN old.r AS o USING(id)
  WHERE n.x IS NOT o.x OR typeof(n.x) <> typeof(o.x);
.mode quote
SELECT '130', id, x FROM r;
.mode insert
SELECT '140', id, x FROM r;
.mode json
SELECT '150', id, x FROM r;
.mode list
SELECT '160', id, x, cast(x AS INTEGER), printf('%.17g|%!.20e|%f', x, x, x / 1e90) FROM r;
