-- cli-smokes/syntax-caret.sql: an error in SQL shows the statement and points at the place.
CREATE TABLE t(alpha, beta);
SELECT alpha, gamma FROM t;
SELECT alpha FROM t WHERE;
SELECT alpha FRM t;
SELECT
  alpha,
  beta,
  delta
FROM t;
INSERT INTO t(alpha, epsilon) VALUES(1, 2);
SELECT 'é漢', nope FROM t;
SELECT alpha, beta, alpha, beta, alpha, beta, alpha, beta, alpha, beta, alpha, beta, alpha, beta, missing, alpha, beta, alpha, beta, alpha FROM t;
SELECT alpha FROM t; SELECT zeta FROM t; SELECT '110';
CREATE TABLE u(a, b, c,);
UPDATE t SET alpha = = 1;
SELECT * FROM t WHERE alpha = @@;
SELECT ?1a;
SELECT 12abc;
)
;
