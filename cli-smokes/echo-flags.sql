-- cli-smokes/echo-flags.sql: -echo, -header and -nullvalue with a script as input.
-- args: -echo -header -nullvalue nil -separator ', ' test.db
CREATE TABLE t(a, b);
INSERT INTO t VALUES(1, NULL);
SELECT '110' AS n, * FROM t;
.print done
