-- cli-smokes/sessions.sql: .session records changesets and patchsets into files.
CREATE TABLE t(a INTEGER PRIMARY KEY, b, c);
CREATE TABLE u(a PRIMARY KEY);
CREATE TABLE hidden(a PRIMARY KEY);
INSERT INTO t VALUES(1, 'one', 1.5), (2, 'two', NULL);
.session open main s
.session s filter hid*
.session s attach t
.session s attach u
.session list
.session s isempty
INSERT INTO t VALUES(3, 'three', x'00ff');
UPDATE t SET b = 'ONE' WHERE a = 1;
DELETE FROM t WHERE a = 2;
INSERT INTO hidden VALUES(1);
INSERT INTO u VALUES('é');
.session s isempty
.session s changeset change.bin
.session s patchset patch.bin
SELECT '110', hex(readfile('change.bin'));
SELECT '120', hex(readfile('patch.bin'));
.session s enable off
INSERT INTO t VALUES(4, 'not seen', 0);
.session s enable
.session s indirect on
.session s changeset again.bin
SELECT '130', readfile('again.bin') = readfile('change.bin');
.session s changeset nodirectory/x.bin
.session s close
.session list
.session t open nowhere
.session
