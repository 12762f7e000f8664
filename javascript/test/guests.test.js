'use strict';
// Extensions that do what no well-behaved one does, and replies that no value has: `tests/guests`. Each
// ends as one error that names the extension, or as some value, and all else lives on.

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { afterEach, beforeEach, describe, test } = require('node:test');

const Database = require('../src/index.js');
const { BUILT, directory, randomOf } = require('./support.js');

const guest = (name) => path.join(BUILT, 'guests', `${name}.wasm`);
const MEMORY = 64 << 20;
/** Random replies that are tried. */
const TURNS = Number(process.env.TURNS ?? 100);

let db;
beforeEach(() => {
  db = new Database(':memory:').loadExtension('sha3');
  db.exec('CREATE TABLE own(a); INSERT INTO own VALUES(1); BEGIN; INSERT INTO own VALUES(2)');
});
afterEach(() => {
  assert.strictEqual(value('SELECT count(*) FROM own'), 2);
  assert.strictEqual(value("SELECT length(sha3(''))"), 32);
  db.exec('COMMIT');
  assert.strictEqual(value('PRAGMA integrity_check(own)'), 'ok');
  db.close();
});

const value = (sql, ...args) => db.prepare(sql).pluck().get(...args);
const all = (sql) => db.prepare(sql).raw().all();

/** The error of a statement, which is one plain line. */
function errorOf(sql) {
  try {
    all(sql);
  } catch (error) {
    assert.ok(error instanceof Database.SqliteError, error.stack);
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(error.message, /[\u0000-\u001f\u007f-\u009f]/);
    assert.ok(error.message.length < 5000);
    return error.message;
  }
  return assert.fail(`${sql} has no error`);
}

describe('malicious', () => {
  const load = (options = {}) => db.loadExtension(guest('malicious'), { memory: MEMORY, ...options });
  const valid = () => assert.strictEqual(value("SELECT malicious('valid')"), 'valid');

  for (const [action, failure] of [
    ['panic', /the malicious panic/],
    ['memory', /stderr: memory allocation of \d+ bytes failed/],
    ['recursion', /memory access out of bounds|the stack is too small/],
    ['escape', /error: not by malicious/],
    ['exit', /it gave up/],
    ['sleep', /it wants to wait/],
  ]) {
    test(`${action} ends the call`, () => {
      load();
      const message = errorOf(`SELECT malicious('${action}')`);
      assert.match(message, /^the extension `malicious` trapped in `malicious\(\)`: /);
      assert.match(message, failure);
      valid();
    });
  }

  test('endless work is ended on a thread', () => {
    load({ time: 1000 });
    for (const action of ['loop', 'log']) {
      assert.match(errorOf(`SELECT malicious('${action}')`), /it used up its time for one call, 1000 ms/);
      valid();
    }
  });

  test('values and messages have a largest size', () => {
    load({ memory: 512 << 20 });
    assert.match(errorOf('SELECT length(malicious_value(200000000))'), /`malicious` trapped in `malicious_value\(\)`: it has sent more than/);
    assert.match(errorOf('SELECT malicious_error(1, 50000000)'), /^x{1000,}$/);
    valid();
  });

  test('files, network, environment and programs are closed', () => {
    load();
    assert.strictEqual(value("SELECT malicious('files')"), 'read: refused, relative: refused, write: refused, list: refused, remove: refused');
    assert.strictEqual(value("SELECT malicious('environment')"), '0 variables, 0 arguments, in `/`');
    assert.strictEqual(value("SELECT malicious('program')"), 'run: refused');
    // The interfaces of the network do not exist here.
    assert.match(errorOf("SELECT malicious('network')"), /trapped in `malicious\(\)`: it calls wasi:sockets.* which is not granted/);
    valid();
  });

  test('pipes, devices and links out of a granted directory are not opened', (t) => {
    const root = directory(t);
    fs.writeFileSync(path.join(root, 'file'), '1');
    fs.symlinkSync('/etc/passwd', path.join(root, 'link'));
    require('node:child_process').execFileSync('mkfifo', [path.join(root, 'pipe')]);
    load({ grants: [`dir:${root}`] });
    const read = (name) => value('SELECT malicious(?)', `read ${path.join(root, name)}`);
    assert.strictEqual(read('file'), '1 bytes');
    for (const name of ['pipe', 'link', 'none', '../../etc/passwd']) assert.match(read(name), /os error/);
  });

  test('a granted directory is written, unless it is granted for reading', (t) => {
    // The guest writes this file; the name is its own.
    const file = '/tmp/malicious';
    t.after(() => fs.rmSync(file, { force: true }));
    for (const [grant, outcome] of [['dir:/tmp:ro', 'refused'], ['dir:/tmp', 'done ()']]) {
      const own = new Database(':memory:').loadExtension(guest('malicious'), { grants: [grant] });
      const text = own.prepare("SELECT malicious('files')").pluck().get();
      assert.strictEqual(text, `read: refused, relative: refused, write: ${outcome}, list: refused, remove: refused`);
      own.close();
    }
    assert.strictEqual(fs.readFileSync(file, 'utf8'), 'malicious');
  });

  test('groups, collations and tables', () => {
    load();
    const rows = '(VALUES (1), (2), (3))';
    for (const moment of ['step', 'finish']) {
      assert.match(errorOf(`SELECT malicious_group('${moment}', 'panic') FROM ${rows}`), /the malicious panic/);
    }
    for (const moment of ['step', 'inverse', 'value']) {
      assert.match(errorOf(`SELECT malicious_group('${moment}', 'panic') OVER (ORDER BY column1 ROWS 1 PRECEDING) FROM ${rows}`), /the malicious panic/);
    }
    // SQLite has no error for collations: the order is that of bytes.
    assert.deepStrictEqual(all("SELECT column1 FROM (VALUES ('c'), ('action panic'), ('b')) ORDER BY 1 COLLATE malicious_order"), [['action panic'], ['b'], ['c']]);
    for (const moment of ['connect', 'best-index', 'open', 'filter', 'fetch', 'update', 'close', 'never']) {
      const own = new Database(':memory:').loadExtension(guest('malicious'), { memory: MEMORY });
      const use = () => own.exec(`CREATE VIRTUAL TABLE m USING malicious_table(${moment}, panic); SELECT * FROM m WHERE a > 0; INSERT INTO m VALUES(1)`);
      if (moment === 'never') use();
      else assert.throws(use, /`malicious` trapped: unreachable|its state was lost when the extension `malicious` trapped/, moment);
      assert.strictEqual(own.prepare("SELECT malicious('valid')").pluck().get(), 'valid');
      own.close();
    }
  });

  test('manifests that no host takes', () => {
    const whole = fs.readFileSync(guest('malicious'));
    const at = whole.indexOf('malicious-manifest:') + 'malicious-manifest:'.length;
    const words = ['huge-text', 'version', 'many', 'many-shadows', 'shadow-name', 'many-needs', 'huge-need', 'pointers', 'arguments', 'panic', 'memory', 'recursion', 'exit', 'sleep', 'connect-panic'];
    for (const word of words) {
      const bytes = Buffer.from(whole);
      bytes.write(word.padEnd(18, '.'), at, 'latin1');
      assert.throws(() => db.loadExtension(bytes, { memory: MEMORY }), (error) => error instanceof Error && error.message.length < 2000, word);
    }
  });
});

/** A use of each function of the guest `malformed`. */
const USES = {
  call: 'SELECT malformed(1)',
  inline: 'SELECT malformed_inline(1)',
  'inline-pending-result': "SELECT malformed_inline(printf('%064d', 1))",
  step: 'SELECT malformed_group(1)',
  finish: 'SELECT malformed_group(1)',
  value: 'SELECT malformed_group(column1) OVER (ROWS 1 PRECEDING) FROM (VALUES (1), (2), (3))',
  inverse: 'SELECT malformed_group(column1) OVER (ROWS 1 PRECEDING) FROM (VALUES (1), (2), (3))',
  'table-connect': 'CREATE VIRTUAL TABLE w USING malformed_table',
  'table-best-index': 'SELECT a, b FROM v WHERE a > 0',
  'table-open': 'SELECT a, b FROM v',
  'table-filter': 'SELECT a, b FROM v',
  'table-fetch-batch': 'SELECT a, b, rowid FROM v',
  'table-update': 'INSERT INTO v VALUES (1, 2)',
  'table-transact': 'INSERT INTO v VALUES (1, 2)',
  'table-rename': 'ALTER TABLE v RENAME TO w',
  'table-integrity': 'PRAGMA integrity_check(v)',
  'table-find-function': 'SELECT like(a, b) FROM v',
  'table-destroy': 'DROP TABLE v',
};

describe('malformed', () => {
  /** Runs the use of a function when it replies with `answer`: an address, or bytes. Then all works. */
  function used(name, answer) {
    const own = new Database(':memory:').loadExtension(guest('malformed'), { memory: 8 << 20 });
    own.exec('CREATE TABLE plain(a); CREATE VIRTUAL TABLE v USING malformed_table; BEGIN; INSERT INTO plain VALUES(1)');
    if (answer !== undefined) own.prepare('SELECT corrupt(?, ?)').get(name, answer);
    const attempt = (sql) => {
      try {
        const statement = own.prepare(sql);
        return statement.reader ? JSON.stringify(statement.all()) : JSON.stringify(statement.run());
      } catch (error) {
        assert.ok(error instanceof Database.SqliteError, error.stack);
        return error.message;
      }
    };
    const outcome = attempt(USES[name]);
    assert.strictEqual(own.prepare('SELECT count(*) FROM plain').pluck().get(), 1);
    // What was said may not have been used so far.
    attempt("SELECT corrupt('', NULL)");
    attempt("SELECT corrupt('', NULL)");
    assert.deepStrictEqual(own.prepare("SELECT malformed('valid'), malformed_group(3)").raw().get(), ['valid', 3]);
    assert.deepStrictEqual(own.prepare('SELECT group_concat(a || b) FROM malformed_table').raw().get(), ['0text,1text,2text']);
    own.close();
    return outcome;
  }

  const words = (bytes, fields) => {
    const result = Buffer.alloc(bytes);
    for (const [at, number] of fields) result.writeUInt32LE(number >>> 0, at);
    return result;
  };

  test('each function has a use that passes', () => {
    for (const name of Object.keys(USES)) assert.match(used(name), /^[[{]/, name);
  });

  test('addresses that are outside, and cases that do not exist', () => {
    for (const name of Object.keys(USES)) {
      for (const answer of [1n, -65536n, 2147418112n, words(64, [[0, 0x63]])]) {
        // SQLite has no message for a table that cannot be removed.
        const failure = name === 'table-destroy' ? /SQL logic error/ : /the extension `malformed` trapped/;
        assert.match(used(name, answer), failure, `${name} ${answer}`);
      }
    }
  });

  test('values, texts and rows that are not in memory', () => {
    const beyond = 0x7fff0000;
    const answers = [5, 6, 0xff].map((kind) => words(32, [[8, kind]]));
    for (const [address, length] of [[beyond, 8], [8, beyond], [-1, -1], [-1, 1], [0, -1]]) {
      answers.push(words(32, [[8, 3], [16, address], [20, length]]), words(32, [[8, 4], [16, address], [20, length]]));
    }
    for (const name of ['call', 'finish', 'value']) {
      for (const answer of answers) {
        assert.match(used(name, answer), /the extension `malformed` trapped/, `${name} ${answer.toString('hex')}`);
      }
    }
    for (const at of [4, 12, 20, 28]) {
      for (const [address, length] of [[beyond, 8], [8, beyond], [-8, -1]]) {
        assert.match(used('table-fetch-batch', words(56, [[at, address], [at + 4, length]])), /the extension `malformed` trapped/);
      }
    }
  });

  test('inline values of no class', () => {
    for (const head of [5, 0xff, 0x4103, 0xff04]) {
      assert.match(used('inline', words(80, [[0, 1], [8, head]])), /the extension `malformed` trapped/);
    }
  });

  test('random memory is a value or an error', () => {
    const random = randomOf(11);
    const names = Object.keys(USES);
    const number = () => [0, random(6), random(1 << 10), ((1 << 20) + random(1 << 16)) & ~7, -1 - random(17), random(2 ** 31) * 2][random(6)];
    for (let turn = 0; turn < TURNS; turn++) {
      used(names[random(names.length)], words(64, Array.from({ length: 16 }, (_, index) => [4 * index, number()])));
    }
  });
});
