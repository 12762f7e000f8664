-- cli-smokes/ext-text.sql: letters beyond ASCII, and a collation that knows them.
-- args: test.db
-- ours-only: native shells load no components
.load text
SELECT '110', text_upper('straße äöü'), text_lower('ÄÖÜ ΑΒΓ');
SELECT '120', text_casefold('Straße') = text_casefold('STRASSE');
SELECT '130', 'Ä' = 'ä' COLLATE unicode, 'Ä' = 'ä' COLLATE nocase;
CREATE TABLE t(x TEXT COLLATE unicode);
INSERT INTO t VALUES('zebra'), ('Äpfel'), ('birne'), ('äpfel');
SELECT '140', count(DISTINCT x) FROM t;
CREATE INDEX i ON t(x);
SELECT '150', x FROM t WHERE x = 'ÄPFEL' ORDER BY rowid;
PRAGMA integrity_check;
