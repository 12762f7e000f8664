-- cli-smokes/ext-vec0.sql: vectors and nearest neighbours; more is in tests/parity.
-- args: test.db
-- ours-only: native shells load no components
.load vec0
CREATE VIRTUAL TABLE notes USING vec0(id INTEGER PRIMARY KEY, embedding float[4] distance_metric=cosine, topic text, +title text);
INSERT INTO notes VALUES
  (1, '[1, 0, 0, 0]', 'a', 'first'), (2, '[0, 1, 0, 0]', 'a', 'second'), (3, '[1, 1, 0, 0]', 'b', 'third');
SELECT '110', id, title, printf('%.4f', distance) FROM notes WHERE embedding MATCH '[1, 0.1, 0, 0]' AND k = 2;
SELECT '120', id FROM notes WHERE embedding MATCH '[1, 0.1, 0, 0]' AND k = 2 AND topic = 'b';
SELECT '130', vec_to_json(embedding) FROM notes WHERE id = 3;
UPDATE notes SET title = 'changed' WHERE id = 3;
DELETE FROM notes WHERE id = 1;
SELECT '140', group_concat(id || ' ' || title, ', ') FROM notes;
BEGIN;
INSERT INTO notes VALUES (9, '[1, 0, 0, 0]', 'c', 'ninth');
ROLLBACK;
SELECT '150', count(*) FROM notes;
SELECT '160', name FROM sqlite_schema WHERE name LIKE 'notes_%' ORDER BY name LIMIT 3;
INSERT INTO notes VALUES (9, '[1]', 'c', 'ninth');
SELECT '170', vec_distance_hamming(vec_bit(x'ff00ff00ff00ff00'), vec_bit(x'0f000f000f000f01'));
SELECT '180', value FROM vec_each('[1.5, 2]');
SELECT '190', json_extract(vec_to_json(vec_normalize('[3, 4]')), '$[1]') > 0.79;
-- By a condition, also where there is a partition key; natively sqlite-vec refuses that.
CREATE VIRTUAL TABLE parts USING vec0(n integer, kind integer partition key, v float[2], +note text);
INSERT INTO parts(n, kind, v, note) VALUES (1, 1, '[1, 2]', 'a'), (2, 1, '[1, 3]', 'b'), (3, 2, '[4, 4]', 'c');
UPDATE parts SET n = n + 10 WHERE n < 3 AND EXISTS (SELECT 1 FROM notes);
UPDATE parts SET note = note || '!', v = vec_add(v, '[1, 1]') WHERE n > 10;
UPDATE parts SET kind = 7 WHERE n = 3;
SELECT '200', rowid, n, kind, vec_to_json(v), note FROM parts;
