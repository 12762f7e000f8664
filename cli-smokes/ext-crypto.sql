-- cli-smokes/ext-crypto.sql: digests of known answers, and codings there and back.
-- args: test.db
-- ours-only: native shells load no components
.load crypto
SELECT '110', lower(hex(crypto_md5('abc')));
SELECT '120', lower(hex(crypto_sha1('abc')));
SELECT '130', lower(hex(crypto_sha256('abc')));
SELECT '140', lower(hex(crypto_blake3('abc')));
SELECT '150', crypto_encode('hello', 'base64'), crypto_encode('hello', 'hex'), crypto_encode('a b', 'url');
SELECT '160', crypto_decode(crypto_encode('hello', 'base32'), 'base32') = CAST('hello' AS BLOB);
SELECT '170', crypto_md5(NULL) IS NULL;
SELECT crypto_encode('hello', 'base99');
