-- cli-smokes/safe-mode.sql: -safe refuses all that touches files, and ends the shell.
-- before: -safe test.db "SELECT writefile('x', 'y')" "SELECT 'after'"
-- before: -safe test.db ".open other.db"
-- before: -safe test.db ".system true"
-- before: -safe test.db "ATTACH 'other.db' AS o" "SELECT 'after'"
-- args: -safe
SELECT '110', 1;
.output x.txt
SELECT '120 never';
