-- cli-smokes/limit-dbconfig.sql: .limit and .dbconfig list and change settings of the connection.
.limit
.limit expr_depth 50
SELECT '110', 1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1;
.limit column
.limit column 3
CREATE TABLE t(a, b, c, d);
.limit column 9999
CREATE TABLE t(a, b, c, d);
.limit length 999999999999
.limit nonsense
.limit a
.dbconfig
.dbconfig enable_fkey on
PRAGMA foreign_keys;
.dbconfig dqs_dml on
SELECT "120 a string by mistake";
.dbconfig defensive
.dbconfig nonsense
