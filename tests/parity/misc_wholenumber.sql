-- loads: wholenumber
CREATE VIRTUAL TABLE n USING wholenumber;
-- input
SELECT count(*), sum(value) FROM n WHERE value BETWEEN 10 AND 5000;
SELECT i, (SELECT sum(value) FROM n WHERE value < i) FROM input WHERE i BETWEEN 3 AND 40;
SELECT value FROM n WHERE value <= 3 ORDER BY value;
