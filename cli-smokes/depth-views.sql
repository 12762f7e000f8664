-- cli-smokes/depth-views.sql: 500 views on views, nested tables, circular definitions, long patterns.
.once views.sql
SELECT 'BEGIN; CREATE VIEW v0 AS SELECT 1 AS x;' UNION ALL SELECT printf('CREATE VIEW v%d AS SELECT x + 1 AS x FROM v%d;', value, value - 1) FROM generate_series(1, 500) UNION ALL SELECT 'COMMIT;';
.read views.sql
SELECT '110', x FROM v500;
SELECT '120', v100.x, v50.x FROM v100, v50;
CREATE VIEW c1 AS SELECT * FROM c2;
CREATE VIEW c2 AS SELECT * FROM c1;
SELECT * FROM c1;
.once materialized.sql
SELECT 'WITH w0 AS MATERIALIZED (SELECT 1 AS x)'||(SELECT group_concat(printf(', w%d AS MATERIALIZED (SELECT x + 1 AS x FROM w%d)', value, value - 1), '') FROM generate_series(1, 100))||' SELECT ''130'', x FROM w100;';
.read materialized.sql
CREATE VIEW counter AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 300000) SELECT n FROM c;
SELECT '140', count(*), sum(n) FROM counter;
.once nested.sql
SELECT 'SELECT ''150'', count(*) FROM '||replace(hex(zeroblob(100)), '00', '(SELECT DISTINCT * FROM ')||'counter'||replace(hex(zeroblob(100)), '00', ')')||' WHERE n < 100;';
.read nested.sql
SELECT '160', replace(hex(zeroblob(20000)), '00', 'a') LIKE '%a%a%a%b', replace(hex(zeroblob(5000)), '00', 'a') GLOB replace(hex(zeroblob(1000)), '00', '*a');
SELECT '170', 'x' LIKE replace(hex(zeroblob(25001)), '00', '%x');
