-- loads: sqlite_hashes
-- The crate sqlite-hashes: Rust on the C interface, by rusqlite.
SELECT '110', hex(md5('abc')), md5_hex('abc'), sha1_hex('abc'), sha224_hex('abc'), sha256_hex('abc');
SELECT '120', sha384_hex('abc'), sha512_hex('abc'), blake3_hex('abc');
SELECT '130', fnv1a_hex('abc'), xxh32_hex('abc'), xxh64_hex('abc'), xxh3_64_hex('abc'), xxh3_128_hex('abc');
-- Several arguments, none, and NULL among them.
SELECT '140', md5_hex('a', 'b'), md5_hex('ab'), md5_hex(NULL) IS NULL, md5_hex('a', NULL), md5_hex(x'00ff'), md5_hex('');
SELECT '150', typeof(md5('abc')), length(sha512('abc')), sha256_hex(zeroblob(100000));
-- What it refuses.
SELECT '160', md5_hex(1);
SELECT '170', md5_hex(1.5);
SELECT '180', md5_hex();
-- Aggregates, also over nothing.
SELECT '210', md5_concat_hex(value) FROM (SELECT 'a' || value AS value FROM generate_series(1, 500));
SELECT '220', sha256_concat_hex(NULL), sha256_concat_hex('a') FROM generate_series(1, 0);
SELECT '230', value % 3, xxh64_concat_hex('x' || value) FROM generate_series(1, 100) GROUP BY 1, 2;
SELECT '240', md5_concat_hex('b' || value ORDER BY value DESC) FROM generate_series(1, 9);
SELECT '250', sha1_concat_hex(column1) OVER (ORDER BY column1) FROM (VALUES ('a'), ('b'));
SELECT '260', md5_concat_hex(column1) FROM (VALUES ('a'), (2));
-- Of a table, and where a schema may not call it.
CREATE TABLE t(name TEXT);
INSERT INTO t SELECT 'name ' || value FROM generate_series(1, 200);
SELECT '310', name FROM t WHERE md5_hex(name) = md5_hex('name 17');
SELECT '320', count(DISTINCT xxh32_hex(name)), sha224_concat_hex(name ORDER BY md5(name)) FROM t;
CREATE INDEX by_hash ON t(md5_hex(name));
