'use strict';
// Where the module for locks does not load: reading, or exclusive by request; never unprotected writes.

const assert = require('node:assert');
const path = require('node:path');
const { test } = require('node:test');
const { execFileSync } = require('node:child_process');

process.env.SQLITE_SANDBOX_NO_NATIVE = '1';
const Database = require('../src/index.js');
const { NATIVE, directory } = require('./support.js');

const native = (file, sql) => execFileSync(NATIVE, [file, sql], { encoding: 'utf8' }).trim();

test('a file opens neither for writing nor by default', (t) => {
  const file = path.join(directory(t), 'a.db');
  assert.throws(() => new Database(file), { code: 'SQLITE_CANTOPEN', message: /cannot be locked here .*readonly.*exclusive/ });
  native(file, 'CREATE TABLE t(a); INSERT INTO t VALUES(1)');
  assert.throws(() => new Database(file), { code: 'SQLITE_CANTOPEN' });
  const db = new Database(file, { readonly: true });
  assert.deepStrictEqual(db.prepare('SELECT * FROM t').all(), [{ a: 1 }]);
  assert.throws(() => db.exec('INSERT INTO t VALUES(2)'), { code: 'SQLITE_READONLY' });
  db.close();
});

test('exclusive: writing, also in WAL mode, and only once in a process', (t) => {
  const file = path.join(directory(t), 'b.db');
  const db = new Database(file, { exclusive: true });
  assert.strictEqual(db.pragma('journal_mode = WAL', { simple: true }), 'wal');
  db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(1)');
  assert.throws(() => new Database(file, { exclusive: true }), { code: 'SQLITE_CANTOPEN' });
  db.close();
  assert.strictEqual(native(file, 'SELECT a FROM t; PRAGMA integrity_check'), '1\nok');
  new Database(file, { exclusive: true }).close();
});

test('a database in WAL mode cannot be read without locks', (t) => {
  const file = path.join(directory(t), 'c.db');
  native(file, 'PRAGMA journal_mode = WAL; CREATE TABLE t(a)');
  assert.throws(() => new Database(file, { readonly: true }), { code: 'SQLITE_CANTOPEN', message: /WAL mode needs locks/ });
});

test('SQL in memory, temporary files and attached files', (t) => {
  const root = directory(t);
  native(path.join(root, 'd.db'), 'CREATE TABLE t(a); INSERT INTO t VALUES(1)');
  const db = new Database(':memory:', { directories: [root] });
  db.prepare('ATTACH ? AS d').run(path.join(root, 'd.db'));
  assert.deepStrictEqual(db.prepare('SELECT * FROM d.t').all(), [{ a: 1 }]);
  assert.throws(() => db.exec('INSERT INTO d.t VALUES(2)'), { code: 'SQLITE_READONLY' });
  assert.throws(() => db.prepare('VACUUM INTO ?').run(path.join(root, 'new.db')), { code: /CANTOPEN|READONLY/ });
  db.close();
});
