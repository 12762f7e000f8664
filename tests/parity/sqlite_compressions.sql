-- loads: sqlite_compressions
-- The crate sqlite-compressions: Rust on the C interface, by rusqlite.
SELECT '110', hex(gzip('abcabcabcabc')), hex(brotli('abcabcabcabc')), hex(bzip2('abcabcabcabc'));
SELECT '120', cast(gzip_decode(gzip('hello')) AS TEXT), cast(brotli_decode(brotli('hello')) AS TEXT), cast(bzip2_decode(bzip2('hello')) AS TEXT);
SELECT '130', length(gzip(zeroblob(1000000))), length(gzip(zeroblob(1000000), 1)), length(brotli(zeroblob(1000000)));
SELECT '140', gzip_decode(gzip(zeroblob(1000000))) = zeroblob(1000000), gzip(NULL) IS NULL;
-- Is it that?
SELECT '150', gzip_test(gzip('x')), gzip_test(x'6e6f'), brotli_test(brotli('x')), bzip2_test(bzip2('x')), bzip2_test(x'6e6f');
-- Differences.
SELECT '210', hex(bsdiff4('hello world', 'hello there world')), hex(bsdiffraw('hello world', 'hello there world'));
SELECT '220', cast(bspatch4('hello world', bsdiff4('hello world', 'hello there world')) AS TEXT);
SELECT '230', cast(bspatchraw('hello world', bsdiffraw('hello world', 'hello there world')) AS TEXT);
-- What it refuses.
SELECT '310', gzip(1);
SELECT '320', gzip_decode('text');
SELECT '330', gzip_decode(x'1f8b00');
SELECT '340', brotli_decode(x'ffff');
SELECT '350', bspatch4('a', x'00');
SELECT '360', gzip();
-- Random texts through a table.
CREATE TABLE t(text TEXT, small BLOB);
WITH RECURSIVE random(i, x) AS (VALUES (1, 7) UNION ALL
  SELECT i + 1, (x * 1103515245 + 12345) % 2147483648 FROM random WHERE i < 300)
INSERT INTO t(text) SELECT replace(hex(zeroblob(x % 900)), '00', x) FROM random;
UPDATE t SET small = gzip(text);
SELECT '410', count(*), sum(length(text)), sum(length(small)), sum(cast(gzip_decode(small) AS TEXT) = text),
  sum(brotli_decode(brotli(text)) = cast(text AS BLOB)), sum(bzip2_decode(bzip2(text)) = cast(text AS BLOB)) FROM t;
