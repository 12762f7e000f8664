-- cli-smokes/archive-command-line.sql: -A on the command line; ZIP files by -zip and zipfile().
-- before: :memory: "SELECT writefile('f1.txt', 'one'), writefile('f2.txt', 'two two two two two two two two')"
-- before: made.sqlar -Ac f1.txt f2.txt
-- before: made.sqlar -A --list f2.txt f1.txt
-- before: -A -t -f made.sqlar
-- before: -A -x -f made.sqlar -C out f2.txt
-- before: :memory: "SELECT readfile('out/f2.txt'), readfile('out/f1.txt') IS NULL"
-- before: -A -x -f missing.sqlar
-- args: :memory:
SELECT '110', writefile('x.zip', (SELECT zipfile(column1, 33188, 1700000000, column2) FROM (VALUES('a.txt', 'A'), ('b/c.txt', replace(hex(zeroblob(200)), '0', 'é')))));
SELECT '120', name, mode, mtime, sz, method, length(data) FROM zipfile('x.zip');
.open -zip x.zip
SELECT '130', name, sz FROM zip ORDER BY name;
.ar -t
.ar -x a.txt
SELECT '140', readfile('a.txt');
CREATE VIRTUAL TABLE temp.z USING zipfile('new.zip');
INSERT INTO z(name, data) VALUES('in.txt', 'content');
SELECT '150', name, data FROM zipfile('new.zip');
SELECT '160', data FROM zipfile(readfile('new.zip'));
SELECT * FROM zipfile('missing.zip');
SELECT '170', name FROM zipfile(x'00112233');
