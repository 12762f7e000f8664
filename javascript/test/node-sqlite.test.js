'use strict';
// The interface of `node:sqlite`: the same cases as there. What Node does is recorded; `peer-node/record.test.js` compares
// the record with it.

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');

const differences = require('./node-sqlite/differences.js');
const { recorded, runAll } = require('./node-sqlite/run.js');
const { DatabaseSync } = require('../src/node-sqlite.js');
const { SqliteError, LimitError } = require('../src/index.js');
const { directory } = require('./support.js');

test('all cases have the outcome of node:sqlite, but for the listed ones', async () => {
  const expected = recorded();
  const ours = await runAll(require('../src/node-sqlite.js'));
  assert.deepStrictEqual(Object.keys(ours), Object.keys(expected), 'run test/node-sqlite/run.js');
  for (const [name, outcome] of Object.entries(ours)) {
    if (Object.hasOwn(differences, name)) assert.notDeepStrictEqual(outcome, expected[name], `${name} is listed and does not differ`);
    else assert.deepStrictEqual(outcome, expected[name], name);
  }
  for (const name of Object.keys(differences)) assert.ok(Object.hasOwn(ours, name), name);
});

test('the listed differences are those of the documentation', () => {
  const documented = fs.readFileSync(path.join(__dirname, '../../docs/javascript.md'), 'utf8');
  for (const [name, why] of Object.entries(differences)) assert.ok(documented.includes(why), `${name}: ${why}`);
});

test('limits, directories and extensions are those of the package', (t) => {
  const where = directory(t);
  const db = new DatabaseSync(':memory:', { rows: 2, directories: [where], allowExtension: true });
  const many = db.prepare('SELECT 1 UNION SELECT 2 UNION SELECT 3');
  assert.throws(() => many.all(), (error) => error.code === 'ERR_SQLITE_ERROR' && error.errcode === 18 && error.cause instanceof LimitError);
  assert.throws(() => [...many.iterate()], (error) => error.cause instanceof SqliteError);
  db.exec(`ATTACH '${path.join(where, 'other.db')}' AS other; CREATE TABLE other.t(a)`);
  assert.strictEqual(db.location('other'), path.join(where, 'other.db'));
  assert.strictEqual(db.loadExtension('sha3'), undefined);
  assert.strictEqual(db.prepare("SELECT length(sha3('')) AS n").get().n, 32);
  db.enableLoadExtension(false);
  assert.throws(() => db.loadExtension('sha3'), { code: 'ERR_INVALID_STATE' });
  db.close();
});

test('it writes a file with the locks of the package', (t) => {
  const file = path.join(directory(t), 'a.db');
  const [first, second] = [new DatabaseSync(file), new DatabaseSync(file)];
  first.exec('PRAGMA journal_mode = WAL; CREATE TABLE t(a); BEGIN IMMEDIATE');
  assert.throws(() => second.exec('BEGIN IMMEDIATE'), { errcode: 5 });
  first.exec('INSERT INTO t VALUES(1); COMMIT');
  assert.deepStrictEqual({ ...second.prepare('SELECT a FROM t').get() }, { a: 1 });
  first.close();
  second.close();
});
