-- loads: vec0
-- Many rows by one statement, whose blobs stay open from row to row: a new
-- chunk in the middle, failures at each place, and transactions around it.
.bail off
CREATE TABLE source(id INTEGER PRIMARY KEY, v BLOB, kind TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300)
  INSERT INTO source
  SELECT i, vec_f32(printf('[%d, %d, %d, %d]', i, i % 7, -i, i * i)), 'k' || (i % 3) FROM n;
CREATE VIRTUAL TABLE v USING vec0(e float[4], b bit[8], +note TEXT, kind TEXT, chunk_size=64);
CREATE VIRTUAL TABLE p USING vec0(part TEXT partition key, e float[4], chunk_size=64);
BEGIN;
INSERT INTO v(rowid, e, b, note, kind) SELECT id, v, vec_bit(x'0f'), 'n' || id, kind FROM source;
SELECT count(*), sum(length(e)) FROM v;
SAVEPOINT s;
DELETE FROM v WHERE rowid % 5 = 0;
INSERT INTO v(rowid, e, b, note, kind) SELECT id + 1000, v, vec_bit(x'f0'), 'm', kind FROM source;
ROLLBACK TO s;
SELECT count(*) FROM v;
-- The tenth row is refused.
INSERT INTO v(rowid, e, b, note, kind)
  SELECT CASE id WHEN 10 THEN 5 ELSE id + 2000 END, v, vec_bit(x'ff'), 'd', kind FROM source;
SELECT count(*), max(rowid) FROM v;
INSERT INTO v(rowid, e, b, note, kind)
  SELECT id + 3000, CASE id WHEN 70 THEN x'00' ELSE v END, vec_bit(x'ff'), 'd', kind FROM source;
SELECT count(*), max(rowid) FROM v;
RELEASE s;
INSERT INTO p(part, e) SELECT kind, v FROM source;
COMMIT;
SELECT part, count(*), sum(distance) > 0 FROM p WHERE e MATCH '[1, 2, 3, 4]' AND k = 9 GROUP BY part;
SELECT rowid, distance FROM v WHERE e MATCH '[3, 3, -3, 9]' AND k = 4;
-- No transaction around it; one row fails and all are taken back.
INSERT INTO p(part, e) SELECT kind, v FROM source;
INSERT INTO p(part, e) SELECT kind, CASE id WHEN 200 THEN x'00' ELSE v END FROM source;
SELECT count(*) FROM p;
-- OR ROLLBACK ends the transaction in the middle of it.
BEGIN;
INSERT INTO v(rowid, e, b, note, kind) SELECT id + 5000, v, vec_bit(x'ff'), 'd', kind FROM source;
INSERT OR ROLLBACK INTO v(rowid, e, b, note, kind)
  SELECT CASE id WHEN 200 THEN 5 ELSE id + 6000 END, v, vec_bit(x'ff'), 'd', kind FROM source;
SELECT count(*), max(rowid) FROM v;
COMMIT;
-- A trigger takes the shadow tables away between two rows.
CREATE TABLE feed(id INTEGER);
CREATE TRIGGER feeding AFTER INSERT ON feed BEGIN
  INSERT INTO p(part, e) SELECT 'fed', v FROM source WHERE id = new.id;
  DELETE FROM p_vector_chunks00 WHERE new.id = 20;
END;
BEGIN;
INSERT INTO feed SELECT id FROM source LIMIT 30;
SELECT count(*) FROM feed;
ROLLBACK;
INSERT INTO feed SELECT id FROM source LIMIT 15;
SELECT part, count(*) FROM p GROUP BY part;
-- A row of the shadow tables becomes something else in between.
CREATE TRIGGER spoiling AFTER INSERT ON feed WHEN new.id = 10 BEGIN
  UPDATE p_vector_chunks00 SET vectors = 'text';
END;
BEGIN;
INSERT INTO feed SELECT id FROM source LIMIT 15;
SELECT count(*) FROM feed;
ROLLBACK;
DROP TABLE p;
SELECT * FROM v_chunks ORDER BY chunk_id;
SELECT rowid, length(vectors), hex(substr(vectors, 1, 64)) FROM v_vector_chunks00;
PRAGMA integrity_check;
-- crossed
SELECT count(*), max(rowid) FROM v;
SELECT rowid, distance FROM v WHERE e MATCH '[3, 3, -3, 9]' AND k = 4;
INSERT INTO v(rowid, e, b, note, kind) SELECT id + 9000, v, vec_bit(x'ff'), 'd', kind FROM source;
SELECT count(*), max(rowid) FROM v;
