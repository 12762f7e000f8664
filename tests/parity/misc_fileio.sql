-- loads: fileio
-- grants: dir:.
-- input
SELECT i, writefile('f' || i, b), readfile('f' || i) IS b FROM input WHERE i < 50;
SELECT writefile('d', NULL, 16877), writefile('d/x', 'text'), CAST(readfile('d/x') AS TEXT), readfile('nothing'), lsmode(33188), lsmode(16877), lsmode(41471);
SELECT name, data FROM fsdir('d') ORDER BY name;
SELECT count(*), sum(length(data)) FROM fsdir('.') WHERE name GLOB './f*';
SELECT writefile('d/y', 'z', 33188, 1000000000), mtime FROM fsdir('d/y');
SELECT mtime FROM fsdir('d/y');
SELECT writefile('nothing/x', 'a');
SELECT writefile(NULL, 'a');
SELECT name FROM fsdir('nothing');
SELECT * FROM fsdir;
