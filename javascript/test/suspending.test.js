'use strict';
// Extensions that run SQL, in both ways: on a thread, and by suspending calls where V8 can.

const assert = require('node:assert');
const { test } = require('node:test');

const Database = require('../src/index.js');
const { canSuspend } = require('../src/extensions/suspendable-instance.js');

const ways = { 'on a thread': { time: 60_000 }, 'as this Node does it': {} };

for (const [way, options] of Object.entries(ways)) {
  test(`SQL of extensions ${way}${way.startsWith('as') ? ` (${canSuspend ? 'suspended' : 'on a thread'})` : ''}`, () => {
    const db = new Database(':memory:').loadExtension('define', options).loadExtension('vec0', options);
    db.exec("SELECT define('twice', '?1 * 2'); SELECT define('four', 'twice(?1)')");
    const value = (sql) => db.prepare(sql).pluck().get();
    assert.strictEqual(value('SELECT twice(21)'), 42);
    assert.strictEqual(value('SELECT four(1)'), 2);
    // Messages of threads that are longer than what they share.
    db.exec("SELECT define('big', 'printf(''%.*c'', ?1, ''x'')')");
    assert.strictEqual(value('SELECT length(big(300000))'), 300_000);
    assert.throws(() => value("SELECT define('bad', 'nope(')"), { code: 'SQLITE_ERROR' });
    db.exec('CREATE VIRTUAL TABLE v USING vec0(e float[2]); INSERT INTO v(rowid, e) SELECT column1, json_array(column1, 0) FROM (VALUES(1), (2), (3))');
    assert.strictEqual(value("SELECT rowid FROM v WHERE e MATCH '[2.9, 0]' ORDER BY distance LIMIT 1"), 3);
    // Rows of the extension and of SQL in one statement, and a rollback of both.
    db.exec('BEGIN; DELETE FROM v; ROLLBACK');
    assert.strictEqual(value('SELECT sum(twice(rowid)) FROM v'), 12);
    db.close();
  });
}

test('two connections with the same extension do not share its state', () => {
  const [a, b] = [new Database(':memory:').loadExtension('define'), new Database(':memory:').loadExtension('define')];
  a.exec("SELECT define('only_a', '1')");
  assert.strictEqual(a.prepare('SELECT only_a()').pluck().get(), 1);
  assert.throws(() => b.prepare('SELECT only_a()'), /no such function/);
  a.close();
  b.close();
});
