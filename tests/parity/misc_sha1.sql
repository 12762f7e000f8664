-- loads: sha1
-- input
SELECT i, sha1(b), sha1(t), sha1(n) FROM input;
SELECT sha1_query('SELECT * FROM input'), sha1(group_concat(b, '')), sha1(''), sha1(NULL), sha1(zeroblob(5000)) FROM input;
SELECT sha1_query('SELECT nothing');
SELECT sha1_query('DELETE FROM input');
