\pset pager off
\dt
\dv
\di
\dn
\df
\df+
\l shop
\d author
\d book
\dt b*
\d nope
SELECT count(*) FROM book;
\copy author FROM STDIN CSV
1,Anna,1970-01-02
2,"O""Neil",
\.
\copy (SELECT * FROM author ORDER BY id) TO STDOUT CSV HEADER
INSERT INTO book VALUES (1, 1, 'Tea', 9.5, true, '2024-01-02 03:04:05') RETURNING *;
INSERT INTO book VALUES (1, 1, 'Tee', 9.5, true, NULL);
SELECT a.name, b.price, b.sold, b.made FROM author a JOIN book b ON b.author_id = a.id;
\gdesc
SELECT 1 AS one, 'x' AS two, 1.5 AS three, true AS four, NULL AS five \gdesc
BEGIN;
SELECT nope;
SELECT 1;
COMMIT;
SELECT count(*) FROM author \gx
