-- loads: closure
-- input
CREATE TABLE tree(id INTEGER PRIMARY KEY, parent INTEGER);
INSERT INTO tree SELECT i, CASE i WHEN 1 THEN NULL ELSE 1 + abs(n) % (i - 1) END FROM input;
CREATE INDEX tree_parent ON tree(parent);
CREATE VIRTUAL TABLE c USING transitive_closure(tablename=tree, idcolumn=id, parentcolumn=parent);
SELECT id, depth FROM c WHERE root = 1 ORDER BY depth, id;
SELECT i, (SELECT count(*) || ' ' || max(depth) FROM c WHERE root = i) FROM input;
SELECT id FROM c WHERE root = 2 AND depth = 1 ORDER BY id;
SELECT id FROM c WHERE root = 250 AND idcolumn = 'parent' AND parentcolumn = 'id' ORDER BY depth;
SELECT id FROM c LIMIT 3;
CREATE VIRTUAL TABLE d USING transitive_closure(colour=red);
