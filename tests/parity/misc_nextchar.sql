-- loads: nextchar
-- input
CREATE INDEX input_t ON input(t);
SELECT DISTINCT substr(t, 1, 1), next_char(substr(t, 1, 1), 'input', 't') FROM input ORDER BY 1;
SELECT i, next_char(substr(t, 1, 2), 'input', 't'), next_char(t, 'input', 't', 'i > 20') FROM input LIMIT 100;
SELECT next_char('', 'input', 't', 'i < 100', 'nocase');
SELECT next_char('a', 'nowhere', 't');
SELECT next_char('a', 'input', 'nothing');
