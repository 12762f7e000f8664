-- cli-smokes/errors-bail.sql: with -bail the first error ends the script, exit code 1.
-- before: -bail :memory: "SELECT 'one'; SELECT nothing; SELECT 'never'" "SELECT 'never'"
-- before: -bail :memory: ".nonsense" "SELECT 'never'"
-- before: :memory: "SELECT nothing" "SELECT 'next argument never'"
-- before: :memory: ".nonsense" "SELECT 'never'"
-- args: -bail
SELECT '110';
CREATE TABLE t(a UNIQUE);
BEGIN;
INSERT INTO t VALUES(1);
INSERT INTO t VALUES(1);
COMMIT;
SELECT '120 never';
