-- loads: sqlean_crypto
select hex(md5('abc')), hex(crypto_sha1('abc')), hex(sha256('abc')), hex(sha384(x'00ff')), hex(sha512('')), hex(blake3('abc'));
select crypto_encode('hello', 'base64'), crypto_encode('hello', 'hex'), crypto_encode(x'ff00', 'base32'), crypto_encode('hello world', 'base85'), crypto_encode('a b&c', 'url');
select cast(crypto_decode('aGVsbG8=', 'base64') as text), crypto_decode('68656c6c6f', 'hex'), crypto_decode('zz', 'hex');
select md5(NULL), md5(1), md5();
select crypto_encode('a', 'nope');
