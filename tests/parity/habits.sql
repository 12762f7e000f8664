-- loads: habits
-- Whatever an extension requests, and in whatever order, it sees what it would natively.
CREATE TABLE t(id INTEGER PRIMARY KEY, b BLOB);
CREATE TABLE other(id INTEGER PRIMARY KEY, b BLOB);
INSERT INTO other SELECT value, x'646566' FROM generate_series(1, 9);

-- A habit, and departures from it.
SELECT '110', habit('imbimbimbimbimbimb');
SELECT '120', habit('imbimbimbimcbimbimbimbidmbimbimb');
SELECT '130', habit('imimimimimiiimmimim');
SELECT '140', habit('dBdBdBdBdmBdBdB');
-- A scan that goes on while it is part of one.
SELECT '150', habit('ininininininzinininizinin');
SELECT '160', habit('imknimknimknimknzimknimkn');
-- What fails, and what is taken back.
SELECT '170', habit('fmfmfmfmfmimfmfm');
BEGIN;
SELECT '180', habit('simbrsimbrsimbrsimbrsimb');
SELECT '190', habit('iubmiubmiubmiubmrmb');
ROLLBACK;
SELECT '200', habit('mbmbmb');
-- Statements end, and others have their numbers.
SELECT '210', habit('imbimbimbxbimbmxcmximximbimb');
-- From one call to the next.
SELECT '220', habit(substr('imbimb', value, 3)) FROM generate_series(1, 4), (VALUES (1), (2), (3), (4));

-- Random ones, in runs that repeat, each in a transaction.
BEGIN;
WITH RECURSIVE
  random(i, x) AS (VALUES (1, 7) UNION ALL
    SELECT i + 1, (x * 1103515245 + 12345) % 2147483648 FROM random WHERE i < 3000),
  letter(i, c) AS (SELECT i, substr('iiimmbbBdufkcnnzsrx', 1 + (x / 65536) % 19, 1) FROM random),
  word(w, text) AS (SELECT i / 5, group_concat(c, '' ORDER BY i) FROM letter GROUP BY i / 5)
SELECT '310', w, habit(text || text || text || text || substr(text, 3)) FROM word;
ROLLBACK;
SELECT '320', count(*), hex(group_concat(b)) FROM t;
SELECT '999', habit('x');
