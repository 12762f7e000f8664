-- loads: eval
-- input
SELECT eval('SELECT i, t FROM input LIMIT 5', ','), eval('SELECT 1, NULL, 2.5');
SELECT i, eval('SELECT ' || n || ' + 1') FROM input;
SELECT eval('CREATE TABLE made(a); INSERT INTO made VALUES (1), (2); SELECT sum(a) FROM made');
SELECT eval('SELECT nothing');
SELECT eval('sel');
SELECT eval(NULL), eval('');
