-- cli-smokes/recursive-cte.sql: recursive and materialized common table expressions.
-- args: :memory:
WITH RECURSIVE f(a, b) AS (VALUES(0, 1) UNION ALL SELECT b, a + b FROM f LIMIT 20) SELECT '110', group_concat(a) FROM f;
CREATE TABLE tree(id INTEGER PRIMARY KEY, parent, name);
INSERT INTO tree VALUES(1, NULL, 'root'), (2, 1, 'a'), (3, 1, 'b'), (4, 2, 'a1'), (5, 2, 'a2'), (6, 4, 'deep');
WITH RECURSIVE w(id, depth, path) AS (SELECT id, 0, name FROM tree WHERE parent IS NULL
  UNION ALL SELECT tree.id, depth + 1, path||'/'||name FROM tree JOIN w ON parent = w.id ORDER BY 2 DESC)
  SELECT '120', printf('%.*c%s', depth * 2, ' ', path) FROM w;
WITH RECURSIVE x(n) AS (SELECT 1 UNION SELECT (n * 7) % 31 FROM x) SELECT '130', count(*), max(n) FROM x;
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 200000) SELECT '140', sum(x) FROM c;
WITH a AS MATERIALIZED (SELECT 1 AS v), b AS NOT MATERIALIZED (SELECT v + 1 AS v FROM a) SELECT '150', a.v, b.v FROM a, b;
WITH RECURSIVE
  input(sud) AS (VALUES('53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79')),
  digits(z, lp) AS (VALUES('1', 1) UNION ALL SELECT cast(lp + 1 AS TEXT), lp + 1 FROM digits WHERE lp < 9),
  x(s, ind) AS (
    SELECT sud, instr(sud, '.') FROM input
    UNION ALL
    SELECT substr(s, 1, ind - 1) || z || substr(s, ind + 1), instr(substr(s, 1, ind - 1) || z || substr(s, ind + 1), '.')
    FROM x, digits AS z WHERE ind > 0 AND NOT EXISTS (
      SELECT 1 FROM digits AS lp WHERE z.z = substr(s, ((ind - 1) / 9) * 9 + lp, 1)
        OR z.z = substr(s, ((ind - 1) % 9) + (lp - 1) * 9 + 1, 1)
        OR z.z = substr(s, (((ind - 1) / 3) % 3) * 3 + ((ind - 1) / 27) * 27 + lp + ((lp - 1) / 3) * 6, 1)))
SELECT '160', s FROM x WHERE ind = 0;
WITH RECURSIVE bad(x) AS (SELECT x FROM bad) SELECT * FROM bad;
