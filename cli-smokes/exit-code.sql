-- cli-smokes/exit-code.sql: .exit gives its argument as exit code, .quit and errors give theirs.
-- before: :memory: ".exit"
-- before: :memory: ".exit 3"
-- before: :memory: ".exit 255"
-- before: :memory: ".quit"
-- before: :memory: "SELECT 1" ".exit 42" "SELECT 'never'"
-- before: nodirectory/x.db "SELECT 1"
-- before: -init missing.sql :memory: "SELECT 'after init'"
-- before: :memory: "SELECT nothing"
CREATE TABLE t(a);
BEGIN;
INSERT INTO t VALUES('not committed');
.exit 3
SELECT 'never';
