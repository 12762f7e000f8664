-- loads: zipfile
-- grants: dir:.
-- input
CREATE VIRTUAL TABLE temp.z USING zipfile('made.zip');
INSERT INTO z(name, mode, mtime, data) SELECT 'f' || i, 33188, 1000000000 + i * 2, b FROM input WHERE i < 80;
INSERT INTO z(name, mtime, data, method) SELECT 'long', 1000000000, group_concat(t), 8 FROM input;
SELECT name, mode, mtime, sz, hex(rawdata), hex(data), method FROM z;
DELETE FROM z WHERE name = 'f3';
UPDATE z SET data = 'changed' WHERE name = 'f4';
UPDATE z SET name = 'f81', mtime = 1000000000 WHERE name = 'f5';
SELECT name, mode, mtime, sz, hex(data), method FROM z WHERE name IN ('f4', 'f81');
SELECT count(*), sum(sz) FROM zipfile('made.zip');
SELECT hex(zipfile(name, 33188, 1000000000, data)) FROM (SELECT name, data FROM z LIMIT 5);
SELECT name, data FROM zipfile((SELECT zipfile('a', CAST('text' AS BLOB)))) ;
SELECT * FROM zipfile('nothing.zip');
SELECT * FROM zipfile(x'504b0304');
SELECT name FROM zipfile;
INSERT INTO z(name, data) VALUES ('f6', 'twice');
