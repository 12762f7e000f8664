-- cli-smokes/ext-ann.sql: nearest neighbours by an index in the database.
-- args: test.db
-- ours-only: native shells load no components
.load ann
CREATE VIRTUAL TABLE v USING ann(embedding float[4] distance=cosine, +title text, category text, price real);
INSERT INTO v(rowid, embedding, title, category, price) VALUES
  (1, '[1, 0, 0, 0]', 'one', 'a', 1.5), (2, '[0, 1, 0, 0]', 'two', 'b', 2.5),
  (3, vec_f32('[0.9, 0.1, 0, 0]'), 'three', 'a', 9), (4, '[0, 0, 1, 0]', 'four', NULL, NULL);
SELECT '110', rowid, title, round(distance, 4) FROM v WHERE embedding MATCH '[1, 0.05, 0, 0]' AND k = 3 ORDER BY distance;
SELECT '120', rowid FROM v WHERE embedding MATCH '[1, 0.05, 0, 0]' AND category = 'a' AND price < 5 LIMIT 5;
SELECT '130', rowid FROM v WHERE embedding MATCH '[1, 0, 0, 0]' AND k = 9 AND rowid IN (2, 4, 8) ORDER BY rowid;
SELECT '140', rowid FROM v WHERE embedding MATCH '[1, 0, 0, 0]' AND k = 1 AND exact = 1 AND ef = 10;
SELECT '150', rowid FROM v WHERE embedding MATCH '[0, 0, 1, 0]' AND k = 4 AND category IS NULL;
BEGIN;
DELETE FROM v WHERE rowid = 1;
SELECT '210', rowid FROM v WHERE embedding MATCH '[1, 0, 0, 0]' AND k = 1;
SAVEPOINT s;
INSERT INTO v(rowid, embedding) VALUES (9, '[1, 0, 0, 0]');
SELECT '220', rowid FROM v WHERE embedding MATCH '[1, 0, 0, 0]' AND k = 1;
ROLLBACK TO s;
SELECT '230', rowid FROM v WHERE embedding MATCH '[1, 0, 0, 0]' AND k = 1;
ROLLBACK;
SELECT '240', rowid FROM v WHERE embedding MATCH '[1, 0, 0, 0]' AND k = 1;
UPDATE v SET embedding = '[0, 0, 0, 1]', price = 3 WHERE rowid = 1;
UPDATE v SET rowid = 77 WHERE rowid = 2;
SELECT '310', rowid, title, price, hex(embedding) FROM v ORDER BY rowid;
INSERT OR IGNORE INTO v(rowid, embedding) VALUES (77, '[1, 1, 1, 1]');
INSERT OR REPLACE INTO v(rowid, embedding, title) VALUES (3, '[1, 1, 1, 1]', 'replaced');
SELECT '320', rowid, title FROM v WHERE embedding MATCH '[1, 1, 1, 1]' AND k = 1;
INSERT INTO v(rowid, embedding) VALUES (77, '[1, 1, 1, 1]');
INSERT INTO v(embedding) VALUES ('[1, 1, 1]');
INSERT INTO v(embedding) VALUES (NULL);
INSERT INTO v(embedding) VALUES ('[1, 1, 1, nan]');
SELECT rowid FROM v WHERE embedding MATCH '[1, 1, 1, 1]';
SELECT rowid FROM v WHERE embedding MATCH '[1, 1, 1, 1]' AND k = -1;
INSERT INTO v(v) VALUES ('rebuild');
INSERT INTO v(v) VALUES ('optimize');
INSERT INTO v(v) VALUES ('other');
SELECT '410', linked = total FROM ann_build('v');
PRAGMA integrity_check;
CREATE VIRTUAL TABLE words USING fts5(body);
INSERT INTO words(rowid, body) VALUES (1, 'red fox'), (77, 'red red wine'), (4, 'a blue sea');
SELECT '510', rowid, round(score, 5), bm25 IS NULL, distance IS NULL FROM hybrid('words', 'v', 'red', '[0, 1, 0, 0]', 3);
SELECT '520', rowid, round(score, 3) FROM hybrid('words', 'v', 'blue', '[0, 1, 0, 0]', 2, 'weighted:0.25');
SELECT * FROM hybrid('words', 'v', 'blue', '[0, 1, 0, 0]', 2, 'other');
ALTER TABLE v RENAME TO w;
VACUUM;
SELECT '610', rowid FROM w WHERE embedding MATCH '[0, 1, 0, 0]' AND k = 1;
CREATE VIRTUAL TABLE i USING ann(e float[3], quantize=int8);
CREATE VIRTUAL TABLE b USING ann(e float[3], quantize=binary);
INSERT INTO i(e) VALUES ('[1, 2, 3]'), ('[3, 2, 1]');
INSERT INTO b SELECT e FROM i;
SELECT '710', rowid, round(distance, 2) FROM i WHERE e MATCH '[1, 2, 4]' AND k = 5;
SELECT '720', rowid, distance FROM b WHERE e MATCH '[1, 2, -4]' AND k = 1;
DROP TABLE w;
DROP TABLE i;
DROP TABLE b;
SELECT '810', count(*) FROM sqlite_schema WHERE name NOT LIKE 'words%';
