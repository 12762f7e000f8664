-- cli-smokes/utf8-functions.sql: text functions over UTF-8, NULs, broken sequences and the UTF-16 encodings.
-- args: :memory:
SELECT '110', length('é漢😀'), octet_length('é漢😀'), upper('éa'), lower('ÉA'), unicode('😀'), char(233, 28450, 128512);
SELECT '120', substr('é漢😀x', 2, 2), instr('é漢😀x', '😀'), replace('é漢é', 'é', 'e'), trim('漢x漢', '漢'), hex('é');
SELECT '130', length(cast(x'410042' AS TEXT)), hex(cast(x'410042' AS TEXT)), cast(x'410042' AS TEXT), quote(cast(x'410042' AS TEXT));
SELECT '140', length(cast(x'ff80c3' AS TEXT)), hex(upper(cast(x'ff80c361' AS TEXT)));
SELECT '150', unistr('\u00e9\+01f600 \\'), unistr_quote('a'||char(10)), quote('é');
CREATE TABLE "tàble"("cölumn" TEXT);
INSERT INTO "tàble" VALUES('Größe');
.headers on
SELECT '160', "cölumn" FROM tàble;
.headers off
.open u16.db
PRAGMA encoding = 'UTF-16le';
CREATE TABLE t(x);
INSERT INTO t VALUES('é漢😀'), (char(0xfeff)||'bom'), (upper('straße'));
SELECT '170', x, length(x), hex(x), hex(cast(x AS BLOB)) FROM t;
PRAGMA encoding;
.open u16.db
SELECT '180', x FROM t ORDER BY x;
.dump
SELECT '190', unistr('\uZZZZ');
