// A database in WAL mode that another program writes too, callbacks, and extensions with and without SQL: SQLITE3 is
// the native shell.
'use strict';

const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const Database = require('sqlite-sandbox');

const db = new Database('shared.db');
const native = (sql) => execFileSync(process.env.SQLITE3, ['shared.db'], { input: `.timeout 10000\n${sql}`, encoding: 'utf8' }).trim();
assert.strictEqual(db.pragma('journal_mode = WAL', { simple: true }), 'wal');
db.exec('CREATE TABLE IF NOT EXISTS step(n); DELETE FROM step; INSERT INTO step VALUES(1)');
assert.strictEqual(native('SELECT count(*) FROM step; INSERT INTO step VALUES(2);'), '1');
assert.deepStrictEqual(db.prepare('SELECT n FROM step').pluck().all(), [1, 2]);
db.function('twice', (value) => 2 * value);
db.loadExtension('sha3').loadExtension('define').exec("SELECT define('third', '?1 / 3')");
assert.deepStrictEqual(db.prepare("SELECT twice(4), length(sha3('')), third(9)").raw().get(), [8, 32, 3]);
assert.throws(() => db.prepare('x'), { name: 'SqliteError', code: 'SQLITE_ERROR' });
db.close();
assert.strictEqual(native('PRAGMA integrity_check'), 'ok');
