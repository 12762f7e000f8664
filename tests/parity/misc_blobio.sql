-- loads: blobio
-- input
CREATE TABLE big(id INTEGER PRIMARY KEY, a BLOB, t TEXT);
INSERT INTO big SELECT i, zeroblob(100 + i), t FROM input;
SELECT i, writeblob('main', 'big', 'a', i, i % 50, b), hex(readblob('main', 'big', 'a', i, i % 50, 20)) FROM input;
SELECT hex(a) FROM big WHERE id < 20;
SELECT readblob('main', 'big', 't', 5, 0, 2);
SELECT readblob('main', 'big', 'a', 1, 0, 5000);
SELECT readblob('main', 'nothing', 'a', 1, 0, 5);
SELECT writeblob('main', 'big', 'a', 1, 99, x'00112233');
SELECT writeblob('main', 'big', 'a', 1, 0, 'text');
SELECT readblob('main', 'big', 'a', 9999, 0, 5);
