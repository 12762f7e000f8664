-- loads: amatch
CREATE TABLE costs(iLang, cFrom, cTo, Cost);
INSERT INTO costs VALUES (0, '', '?', 100), (0, '?', '', 100), (0, '?', '?', 150), (0, 'e', 'i', 30);
-- input
CREATE TABLE vocab(w TEXT UNIQUE);
INSERT OR IGNORE INTO vocab SELECT t FROM input;
CREATE INDEX vocab_w ON vocab(w);
CREATE VIRTUAL TABLE a USING approximate_match(vocabulary_table=vocab, vocabulary_word=w, edit_distances=costs);
SELECT t, (SELECT group_concat(word || ':' || distance) FROM (SELECT word, distance FROM a WHERE word MATCH t AND distance <= 250 ORDER BY distance, word)) FROM input LIMIT 60;
SELECT word, distance FROM a WHERE word MATCH 'bas' AND distance < 200 ORDER BY distance, word LIMIT 10;
CREATE VIRTUAL TABLE b USING approximate_match(vocabulary_table=nothing, vocabulary_word=w, edit_distances=costs);
CREATE VIRTUAL TABLE b USING approximate_match(colour=red);
SELECT count(*) FROM a;
