'use strict';
// Extensions: the shipped files, what they are granted, traps, limits, and malformed files.

const assert = require('node:assert');
const crypto = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { afterEach, beforeEach, describe, test } = require('node:test');

const Database = require('../src/index.js');

const SHIPPED = path.join(__dirname, '..', 'extensions');
const bytesOf = (name) => fs.readFileSync(path.join(SHIPPED, `${name}.wasm`));
const sha256 = (bytes) => crypto.createHash('sha256').update(bytes).digest('hex');

let db;
beforeEach(() => { db = new Database(':memory:'); });
afterEach(() => db.close());

const value = (sql, ...args) => db.prepare(sql).pluck().get(...args);
const column = (sql) => db.prepare(sql).pluck().all();

describe('the shipped extensions', () => {
  test('scalar functions', () => {
    db.loadExtension('uuid').loadExtension('sha3').loadExtension('crypto').loadExtension('text').loadExtension('fuzzy');
    assert.match(value('SELECT uuid4()'), /^[0-9a-f-]{36}$/);
    assert.strictEqual(value("SELECT hex(sha3('abc'))"), '3A985DA74FE225B2045C172D6BD390BD855F086E3E9D525B46BFE24511431532');
    // Longer than what crosses in registers, in both directions.
    assert.strictEqual(value("SELECT length(sha3(?, 512))", 'x'.repeat(100_000)), 64);
    assert.strictEqual(value('SELECT sha3(NULL)'), null);
  });

  test('aggregates and window functions', () => {
    db.loadExtension('stats').loadExtension('series');
    assert.strictEqual(value('SELECT median(value) FROM generate_series(1, 9)'), 5);
    assert.strictEqual(column('SELECT median(value) OVER (ROWS 2 PRECEDING) FROM generate_series(1, 5)').length, 5);
    assert.strictEqual(value('SELECT median(value) FROM generate_series(1, 0)'), null);
  });

  test('table functions, with constraints and limits', () => {
    db.loadExtension('series');
    assert.deepStrictEqual(column('SELECT value FROM generate_series(1, 10, 3)'), [1, 4, 7, 10]);
    assert.deepStrictEqual(column('SELECT value FROM generate_series(1, 1000000000) LIMIT 2'), [1, 2]);
    assert.strictEqual(value('SELECT sum(value) FROM generate_series(1, 10000)'), 50005000);
  });

  test('writable tables and SQL: vec0', () => {
    db.loadExtension('vec0');
    db.exec('CREATE VIRTUAL TABLE v USING vec0(e float[3])');
    const insert = db.prepare('INSERT INTO v(rowid, e) VALUES(?, ?)');
    db.transaction(() => { for (let n = 1; n <= 50; n++) insert.run(BigInt(n), JSON.stringify([n, n, n])); })();
    assert.deepStrictEqual(column("SELECT rowid FROM v WHERE e MATCH '[7, 7, 7]' ORDER BY distance LIMIT 3").sort(), [6, 7, 8]);
    db.exec('BEGIN; DELETE FROM v WHERE rowid = 7; ROLLBACK; DELETE FROM v WHERE rowid = 6');
    assert.deepStrictEqual(column("SELECT rowid FROM v WHERE e MATCH '[7, 7, 7]' ORDER BY distance LIMIT 2"), [7, 8]);
    db.exec('DROP TABLE v');
  });

  test('functions that are registered later: define', () => {
    db.loadExtension('define');
    db.exec("SELECT define('twice', '?1 * 2')");
    assert.strictEqual(value('SELECT twice(21)'), 42);
  });

  test('ann and sha3query', () => {
    db.loadExtension('ann').loadExtension('sha3query');
    assert.strictEqual(value("SELECT length(sha3_query('SELECT 1'))"), 32);
  });

  test('all of them load in one connection but those that need a directory', () => {
    for (const file of fs.readdirSync(SHIPPED).filter((name) => name.endsWith('.wasm'))) {
      const name = path.basename(file, '.wasm');
      if (['csv', 'ann_read'].includes(name)) assert.throws(() => db.loadExtension(name), /needs a directory/);
      else db.loadExtension(name);
    }
    assert.ok(value('SELECT count(*) FROM extension_stats') > 10);
  });
});

describe('loading', () => {
  test('from a path and from bytes', () => {
    assert.strictEqual(db.loadExtension(path.join(SHIPPED, 'uuid.wasm')), db);
    db.loadExtension(bytesOf('sha3')).loadExtension(new Uint8Array(bytesOf('text')));
    assert.strictEqual(value("SELECT length(sha3('x'))"), 32);
  });

  test('the same bytes twice', () => {
    db.loadExtension('uuid').loadExtension(bytesOf('uuid'));
    assert.strictEqual(value('SELECT length(uuid4())'), 36);
  });

  test('from a URL with its hash', async (t) => {
    const bytes = bytesOf('uuid');
    const server = http.createServer((_, response) => response.end(bytes)).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await new Promise((resolve) => server.on('listening', resolve));
    const url = new URL(`http://127.0.0.1:${server.address().port}/uuid.wasm`);
    await assert.rejects(async () => db.loadExtension(url), /needs the "sha256" option/);
    await assert.rejects(async () => db.loadExtension(url, { sha256: '0'.repeat(64) }), /has the SHA-256/);
    assert.strictEqual(await db.loadExtension(url, { sha256: sha256(bytes) }), db);
    assert.strictEqual(value('SELECT length(uuid4())'), 36);
  });

  test('from a URL without end', async (t) => {
    const block = Buffer.alloc(1 << 20);
    const server = http.createServer((_, response) => {
      const more = () => { while (!response.destroyed && response.write(block)); };
      response.on('drain', more);
      more();
    }).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await new Promise((resolve) => server.on('listening', resolve));
    const url = new URL(`http://127.0.0.1:${server.address().port}/`);
    await assert.rejects(async () => db.loadExtension(url, { sha256: '0'.repeat(64) }), /has more than 268435456 bytes/);
    server.closeAllConnections();
  });

  test('what is not granted is refused, and the message says how to grant it', () => {
    // Other bytes than the shipped ones have no grants.
    const other = Buffer.concat([bytesOf('define'), Buffer.from([0, 2, 1, 0x78])]);
    assert.throws(() => db.loadExtension(other), /needs SQL, which is not granted; grant it by \{ grants: \['sql'\] \}/);
    assert.throws(() => db.loadExtension(other, { grants: ['sql:ro'] }), /needs SQL/);
    db.loadExtension(other, { grants: ['sql'] });
    assert.throws(() => db.loadExtension('uuid', { grants: ['everything'] }), /unknown grant/);
  });

  test('SQL loads nothing', () => {
    assert.throws(() => db.exec("SELECT load_extension('uuid')"), { code: 'SQLITE_ERROR' });
    assert.throws(() => db.exec("SELECT load_extension('/etc/passwd')"), { code: 'SQLITE_ERROR' });
  });

  test('wrong arguments', () => {
    for (const wrong of [undefined, null, 5, {}, []]) assert.throws(() => db.loadExtension(wrong), TypeError);
    for (const options of [5, { grants: 'sql' }, { memory: -1 }, { time: 'x' }, { sha256: 'x' }]) {
      assert.throws(() => db.loadExtension('uuid', options), TypeError);
    }
    assert.throws(() => db.loadExtension('no_such_extension'), { code: 'ENOENT' });
  });
});

describe('directories', () => {
  test('csv reads below what is granted, and nothing else', (t) => {
    const root = fs.realpathSync(fs.mkdtempSync(path.join(require('node:os').tmpdir(), 'sqlite-sandbox-')));
    t.after(() => fs.rmSync(root, { recursive: true, force: true }));
    fs.mkdirSync(path.join(root, 'in'));
    fs.writeFileSync(path.join(root, 'in/a.csv'), 'x,y\n1,2\n3,4\n');
    fs.writeFileSync(path.join(root, 'out.csv'), 'secret\n5\n');
    fs.symlinkSync(path.join(root, 'out.csv'), path.join(root, 'in/link.csv'));
    db.loadExtension('csv', { grants: [`dir:${path.join(root, 'in')}`] });
    const create = (name, file) => db.exec(`CREATE VIRTUAL TABLE "${name}" USING csv(filename='${path.join(root, file)}', header=true)`);
    create('a', 'in/a.csv');
    assert.deepStrictEqual(db.prepare('SELECT * FROM a').raw().all(), [['1', '2'], ['3', '4']]);
    for (const file of ['out.csv', 'in/link.csv', 'in/../out.csv', 'in/none.csv']) assert.throws(() => create('b', file), { code: 'SQLITE_ERROR' });
  });
});

describe('limits', () => {
  test('memory: an extension that does not fit is refused', () => {
    assert.throws(() => db.loadExtension('sha3', { memory: 64 << 10 }), /bytes of memory to start/);
  });

  test('memory: growing beyond the limit is an SQL error, and the next call works', () => {
    db.loadExtension('text', { memory: 4 << 20 });
    assert.throws(() => value('SELECT text_reverse(?)', 'x'.repeat(20 << 20)), /the extension `text` trapped in `text_reverse\(\)`/);
    assert.strictEqual(value("SELECT text_reverse('abc')"), 'cba');
    assert.strictEqual(value('SELECT 1'), 1);
  });

  test('time: a call on a thread of its own is ended, and the next one works', () => {
    db.loadExtension('fuzzy', { time: 5000 });
    assert.strictEqual(value("SELECT fuzzy_leven('abc', 'abd')"), 1);
    const long = ['a', 'b'].map((letter) => letter.repeat(500_000));
    assert.throws(() => value('SELECT fuzzy_leven(?, ?)', ...long), /`fuzzy` trapped in `fuzzy_leven\(\)`: it used up its time for one call, 5000 ms/);
    assert.strictEqual(value("SELECT fuzzy_leven('abc', 'abd')"), 1);
  });
});

describe('malformed files', () => {
  const refused = (bytes) => assert.throws(() => db.loadExtension(bytes, { grants: ['sql'] }));

  test('no component', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('hello'), Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]), Buffer.from([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0])]) {
      refused(bytes);
    }
  });

  test('every length of a component that is cut off', () => {
    const whole = bytesOf('uuid');
    for (let length = 0; length < whole.length; length += Math.ceil(whole.length / 97)) refused(whole.subarray(0, length));
  });

  test('bytes that are changed are refused, or work, or fail in SQL', () => {
    const whole = bytesOf('uuid');
    let seed = 1;
    const random = (limit) => { seed = (seed * 48271) % 0x7fffffff; return seed % limit; };
    for (let turn = 0; turn < 60; turn++) {
      const bytes = Buffer.from(whole);
      for (let change = 0; change < 3; change++) bytes[random(bytes.length)] = random(256);
      const other = new Database(':memory:');
      try {
        other.loadExtension(bytes, { grants: ['sql'], memory: 64 << 20 });
        other.prepare('SELECT uuid4()').get();
      } catch (error) {
        assert.ok(error instanceof Error);
      }
      assert.strictEqual(other.prepare('SELECT 1').pluck().get(), 1);
      other.close();
    }
  });

  test('a component that nests without end', () => {
    let bytes = Buffer.from([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0]);
    for (let depth = 0; depth < 40; depth++) {
      const { leb } = require('../src/wasm/binary.js');
      bytes = Buffer.concat([Buffer.from([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0, 4]), Buffer.from(leb(bytes.length)), bytes]);
    }
    refused(bytes);
  });
});
