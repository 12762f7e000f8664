-- loads: uint
-- input
SELECT group_concat(t, ' ') FROM (SELECT t FROM input ORDER BY t COLLATE uint, i);
SELECT group_concat(v, ' ') FROM (SELECT 'file' || abs(n % 1000) || t AS v FROM input ORDER BY v COLLATE uint, i);
SELECT 'a007' = 'a7' COLLATE uint, 'a10' > 'a9' COLLATE uint, '' < '0' COLLATE uint;
