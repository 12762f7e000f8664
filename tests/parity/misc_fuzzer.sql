-- loads: fuzzer
CREATE TABLE cost(ruleset INT, cfrom TEXT, cto TEXT, cost INT);
INSERT INTO cost VALUES (0, '', 'a', 100), (0, 'b', '', 87), (0, 'o', 'oe', 38), (0, 'oe', 'o', 40), (0, 'e', 'i', 21), (1, 'k', 'c', 12);
CREATE VIRTUAL TABLE f USING fuzzer(cost);
-- input
SELECT word, distance FROM f WHERE word MATCH 'boe' AND distance < 200 ORDER BY distance, word;
SELECT word, distance FROM f WHERE word MATCH 'ko' AND ruleset = 1;
SELECT i, (SELECT count(*) || ' ' || max(distance) FROM f WHERE word MATCH t AND distance <= 100) FROM input LIMIT 60;
SELECT word FROM f LIMIT 3;
CREATE VIRTUAL TABLE g USING fuzzer(nothing);
CREATE VIRTUAL TABLE g USING fuzzer;
INSERT INTO f VALUES ('x', 1, 0);
