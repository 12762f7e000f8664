-- loads: compress
-- input
SELECT i, hex(compress(b)), uncompress(compress(b)) IS b, uncompress(compress(t)) = CAST(t AS BLOB) FROM input;
SELECT length(compress(zeroblob(100000))), uncompress(compress(zeroblob(100000))) = zeroblob(100000), hex(compress(group_concat(t))) FROM input;
SELECT uncompress(x'00ffff');
SELECT uncompress('text'), compress(NULL);
