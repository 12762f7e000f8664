-- loads: spellfix
-- input
CREATE VIRTUAL TABLE words USING spellfix1;
INSERT INTO words(word, rank) SELECT t, 1 + i % 7 FROM input;
SELECT t, (SELECT group_concat(word || ':' || distance || ':' || score) FROM (SELECT word, distance, score FROM words WHERE word MATCH t || 'e' AND top = 300 ORDER BY score, word)) FROM input LIMIT 60;
SELECT word, distance FROM words WHERE word MATCH 'ba*' AND top = 300 ORDER BY distance, word;
SELECT i, spellfix1_phonehash(t), spellfix1_translit(t), spellfix1_scriptcode(t), spellfix1_editdist(t, (SELECT t FROM input b WHERE b.i = 301 - input.i)) FROM input;
CREATE TABLE costs(iLang INT, cFrom TEXT, cTo TEXT, iCost INT);
INSERT INTO costs VALUES (0, '', '?', 100), (0, '?', '', 80), (0, '?', '?', 150), (0, 'e', 'ee', 20), (0, 'a', 'o', 35);
SELECT editdist3('costs');
SELECT i, editdist3(t, 'basel'), editdist3(t, t || 'e') FROM input;
UPDATE words SET rank = 100 WHERE word = (SELECT min(word) FROM words);
DELETE FROM words WHERE rowid = 2;
SELECT count(*), max(rank), min(word) FROM words;
SELECT spellfix1_editdist('größe', 'gross');
SELECT editdist3('nothing');
SELECT spellfix1_translit('Привет мир'), spellfix1_scriptcode('Привет');
-- crossed
SELECT word, rank, distance FROM words WHERE word MATCH 'bade' AND top = 300 ORDER BY distance, word;
SELECT count(*) FROM words_vocab;
