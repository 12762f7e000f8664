-- loads: btreeinfo
-- input
CREATE INDEX input_t ON input(t);
CREATE TABLE w(a PRIMARY KEY, b) WITHOUT ROWID;
INSERT INTO w SELECT i, zeroblob(900) FROM input;
SELECT type, name, tbl_name, rootpage, sql, hasRowid, nEntry, nPage, depth, szPage FROM sqlite_btreeinfo ORDER BY name;
SELECT name FROM sqlite_btreeinfo WHERE nPage > 5 ORDER BY name;
