-- loads: completion
-- input
CREATE TABLE selected(selection, sel_id);
SELECT DISTINCT candidate FROM completion('sel') ORDER BY candidate;
SELECT DISTINCT candidate COLLATE nocase FROM completion('in', 'SELECT * FROM in') ORDER BY 1;
SELECT i, (SELECT count(DISTINCT candidate) FROM completion(substr(t, 1, 2))) FROM input LIMIT 50;
