'use strict';
// Extensions that are scripts: the file that `sqlite-wasm-run extension build` writes, in the engine that
// ships with the package. The files are made here, as the tests have no such program.

const assert = require('node:assert');
const { test } = require('node:test');

const Database = require('..');

const COMPONENT = [0x00, 0x61, 0x73, 0x6d, 0x0d, 0x00, 0x01, 0x00];

/** An integer in LEB128. */
function leb(number) {
  const bytes = [];
  for (let rest = number; ; rest >>>= 7) {
    bytes.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) return bytes;
  }
}

/** A custom section. */
function section(name, content) {
  const body = Buffer.concat([Buffer.from([...leb(name.length)]), Buffer.from(name), Buffer.from(content)]);
  return Buffer.concat([Buffer.from([0, ...leb(body.length)]), body]);
}

const script = (source, header = 'quickjs 1\n') =>
  Buffer.concat([Buffer.from(COMPONENT), section('sqlite-wasm:script', header + source)]);

const EVERYTHING = script(`
  let calls = 0;
  export default extension({
    name: 'mine',
    functions: { same: (value) => value, calls: () => ++calls, fails: () => null.x,
                 shout: (text) => text.toUpperCase() + '!', long: (n) => 'x'.repeat(n) },
    aggregates: { longest: { start: () => '', step: (best, text) => text.length > best.length ? text : best } },
    collations: { by_length: (a, b) => a.length - b.length },
    tables: { squares: { columns: ['n INTEGER', 'square INTEGER'], parameters: ['stop'],
                         *rows(stop) { for (let n = 1; n <= stop; n++) yield { n, square: n * n }; } } },
  });`);

test('a script registers functions, aggregates, collations and tables', () => {
  const db = new Database(':memory:');
  db.loadExtension(EVERYTHING);
  const one = (sql, ...values) => db.prepare(sql).pluck().get(...values);
  assert.equal(one("SELECT shout('ah')"), 'AH!');
  assert.equal(one('SELECT length(long(100000))'), 100000);
  assert.equal(one('SELECT sum(square) FROM squares(1000)'), 333833500);
  assert.equal(one("SELECT longest(x) FROM (SELECT 'a' AS x UNION ALL SELECT 'ccc' UNION ALL SELECT 'bb')"), 'ccc');
  assert.equal(one("SELECT group_concat(x) FROM (SELECT 'bb' AS x UNION ALL SELECT 'a' ORDER BY x COLLATE by_length)"), 'a,bb');
  // A `number` is bound as a REAL.
  for (const value of [null, 0n, -1n, 9007199254740993n, -(2n ** 63n), 0.5, '', 'é\0a', Buffer.from([0, 255])]) {
    assert.equal(one('SELECT same(:x) IS :x AND typeof(same(:x)) = typeof(:x)', { x: value }), 1, String(value));
  }
  assert.throws(() => one('SELECT fails()'), /fails: TypeError.*\(line 5\)/);
  assert.deepEqual([one('SELECT calls()'), one('SELECT calls()')], [1, 2]);
});

test('SQL of a script runs on the connection, and needs its grant', () => {
  const source = script(`export default extension({ name: 'mine', needs: ['sql'], functions: {
    total: (customer) => sql\`SELECT sum(price) AS total FROM orders WHERE customer = \${customer}\`[0].total,
    store: (price) => { sql\`INSERT INTO orders VALUES (7, \${price})\`; } } })`);
  const db = new Database(':memory:');
  assert.throws(() => db.loadExtension(source), /needs SQL/);
  db.exec('CREATE TABLE orders(customer, price)');
  db.loadExtension(source, { grants: ['sql'] });
  db.prepare('SELECT store(5), store(6)').get();
  assert.equal(db.prepare('SELECT total(7)').pluck().get(), 11);
  const silent = new Database(':memory:');
  silent.loadExtension(script("export default extension({ name: 'mine', functions: { f: () => sql`SELECT 1` } })"));
  assert.throws(() => silent.prepare('SELECT f()').get(), /does not say that it needs/);
});

test('a script that loops ends with its limit of time', () => {
  const db = new Database(':memory:');
  const source = "export default extension({ name: 'mine', functions: { f: () => { for (;;) ; }, g: () => 7 } })";
  db.loadExtension(script(source), { time: 2000 });
  assert.throws(() => db.prepare('SELECT f()').get(), /time/);
  assert.equal(db.prepare('SELECT g()').pluck().get(), 7);
});

test('damaged files are refused', () => {
  const good = "export default extension({ name: 'mine' })";
  const twice = Buffer.concat([script(good), section('sqlite-wasm:script', `quickjs 1\n${good}`)]);
  const withCode = Buffer.concat([script(good), Buffer.from([1, 8, 0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])]);
  for (const [bytes, message] of [
    [twice, /more than one script/],
    [withCode, /a script and code/],
    [script(good, ''), /damaged/],
    [script(good, '../x 1\n'), /damaged/],
    [script(good, 'lua 5\n'), /engine `lua-5`/],
    [script('syntax error'), /SyntaxError/],
    [script(''), /no default export/],
    [script(good).subarray(0, 30), /unexpected end|malformed/],
  ]) {
    assert.throws(() => new Database(':memory:').loadExtension(bytes), message);
  }
});
