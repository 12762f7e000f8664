'use strict';
// What a new user does, by `require`, in a directory where only the package is installed.

const assert = require('node:assert');
const Database = require('sqlite-sandbox');

const db = new Database('installed.db');
db.exec('CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT)');
db.prepare('INSERT INTO item(name) VALUES(?)').run('first');
assert.deepStrictEqual(db.prepare('SELECT * FROM item').all(), [{ id: 1, name: 'first' }]);
db.loadExtension('sha3').loadExtension('vec0');
assert.strictEqual(db.prepare("SELECT length(sha3('abc'))").pluck().get(), 32);
db.exec("CREATE VIRTUAL TABLE v USING vec0(e float[2]); INSERT INTO v(rowid, e) VALUES(1, '[1, 2]')");
assert.strictEqual(db.prepare("SELECT rowid FROM v WHERE e MATCH '[1, 2]' ORDER BY distance LIMIT 1").pluck().get(), 1);
assert.deepStrictEqual([Database.name, Database.SqliteError.name, db.prepare('SELECT 1').constructor.name], ['Database', 'SqliteError', 'Statement']);
assert.throws(() => db.prepare('x'), { name: 'SqliteError', code: 'SQLITE_ERROR' });
db.close();
