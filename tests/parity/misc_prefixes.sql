-- loads: prefixes
-- input
SELECT i, (SELECT group_concat(prefix, ',') FROM prefixes(t)) FROM input;
SELECT a.i, prefix_length(a.t, b.t) FROM input a JOIN input b ON b.i = 1 + a.i / 2;
SELECT prefix_length('größe', 'grün'), prefix_length('', 'a'), prefix_length(NULL, 'a');
SELECT * FROM prefixes('');
SELECT * FROM prefixes;
