-- loads: sqlar
-- input
SELECT i, hex(sqlar_compress(b)), sqlar_uncompress(sqlar_compress(b), length(b)) IS b FROM input;
SELECT length(sqlar_compress(zeroblob(100000))), sqlar_uncompress(sqlar_compress(zeroblob(100000)), 100000) = zeroblob(100000), hex(sqlar_compress(CAST(group_concat(t) AS BLOB))) FROM input;
SELECT sqlar_uncompress(x'00ffff', 10);
SELECT sqlar_compress(NULL), sqlar_uncompress(x'01', -1);
