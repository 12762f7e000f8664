-- cli-smokes/rtree.sql: RTREE and rtree_i32: ranges, auxiliary columns, updates, integrity.
CREATE VIRTUAL TABLE r USING rtree(id, x0, x1, y0, y1, +label TEXT);
INSERT INTO r SELECT value, value % 50, value % 50 + 1.5, value / 50, value / 50 + 1, 'box '||value FROM generate_series(1, 2000) ;
SELECT '110', count(*) FROM r;
SELECT '120', id, x0, x1, y0, y1, label FROM r WHERE x0 >= 10 AND x1 <= 12.5 AND y0 BETWEEN 3 AND 4 ORDER BY id;
UPDATE r SET x0 = -5, x1 = -4 WHERE id = 7;
SELECT '130', id, x0, x1 FROM r WHERE x1 < 0;
DELETE FROM r WHERE y0 > 5;
SELECT '140', count(*), rtreecheck('r') FROM r;
INSERT INTO r VALUES(9999, 2, 1, 0, 0, 'inside out');
SELECT '150', id FROM r WHERE x0 > '30.5' AND x0 < 32 AND y0 = 1 ORDER BY id;
CREATE VIRTUAL TABLE i USING rtree_i32(id, a, b);
INSERT INTO i VALUES(1, -2147483648, 2147483647), (2, 1.9, 3);
SELECT '160', * FROM i WHERE a <= 1 AND b >= 3;
PRAGMA integrity_check;
