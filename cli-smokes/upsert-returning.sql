-- cli-smokes/upsert-returning.sql: ON CONFLICT, RETURNING, UPDATE FROM, row values, changes().
CREATE TABLE c(k TEXT PRIMARY KEY, n INT DEFAULT 1, u UNIQUE);
INSERT INTO c(k) VALUES('a'), ('b'), ('a') ON CONFLICT(k) DO UPDATE SET n = n + excluded.n RETURNING '110', k, n;
INSERT INTO c(k, u) VALUES('z', 1);
INSERT INTO c(k, u) VALUES('y', 1) ON CONFLICT(k) DO NOTHING ON CONFLICT(u) DO UPDATE SET k = 'moved' RETURNING '120', k, u;
INSERT INTO c(k) VALUES('b') ON CONFLICT DO NOTHING RETURNING '130 never';
SELECT '140', changes(), total_changes() > 3;
UPDATE c SET n = v.x FROM (VALUES('a', 50), ('b', 60)) AS v(k, x) WHERE v.column1 = c.k;
UPDATE c SET n = v.column2 FROM (VALUES('a', 50), ('b', 60)) AS v WHERE v.column1 = c.k RETURNING '150', k, n;
UPDATE c SET (n, u) = (SELECT 7, 8) WHERE k = 'a';
SELECT '160', * FROM c WHERE (k, n) = ('a', 7);
DELETE FROM c WHERE n > 50 RETURNING '170', *;
REPLACE INTO c VALUES('new', 1, 8) RETURNING '180', k;
SELECT '190', * FROM c ORDER BY k;
INSERT INTO c(k) VALUES('x') ON CONFLICT(n) DO NOTHING;
