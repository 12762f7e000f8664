-- loads: unionvtab
-- input
CREATE TABLE one(a INTEGER PRIMARY KEY, b TEXT);
CREATE TABLE two(a INTEGER PRIMARY KEY, b TEXT);
INSERT INTO one SELECT i, t FROM input WHERE i <= 100;
INSERT INTO two SELECT i, t FROM input WHERE i > 100;
CREATE VIRTUAL TABLE temp.u USING unionvtab("VALUES ('main', 'one', 1, 100), ('main', 'two', 101, 300)");
SELECT a, b FROM u;
SELECT i, (SELECT b FROM u WHERE rowid = abs(n) % 320) FROM input;
SELECT count(*) FROM u WHERE rowid BETWEEN 90 AND 110;
SELECT a FROM u WHERE rowid > 295 ORDER BY a DESC;
CREATE VIRTUAL TABLE temp.v USING unionvtab("VALUES ('main', 'nothing', 1, 100)");
CREATE VIRTUAL TABLE temp.v USING unionvtab("VALUES ('main', 'one', 1, 200), ('main', 'two', 101, 300)");
CREATE VIRTUAL TABLE w USING unionvtab("VALUES ('main', 'one', 1, 100)");
