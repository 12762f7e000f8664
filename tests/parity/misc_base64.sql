-- loads: base64
-- input
SELECT i, base64(b), base64(base64(b)) IS b FROM input;
SELECT base64(group_concat(b, '')) FROM input;
SELECT base64(zeroblob(60)), hex(base64('aGFsbG8=')), base64('not * base64'), base64(NULL);
SELECT base64(1);
SELECT base64();
