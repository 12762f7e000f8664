'use strict';
// The package as it is published: two files of JavaScript, of which a start reads one.

const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { before, test } = require('node:test');
const zlib = require('node:zlib');

const { stage } = require('../scripts/stage.js');
const { directory } = require('./support.js');

/** KB of 1024 bytes. */
const MAX_JAVASCRIPT_BYTES = 40 << 10;
const MAX_ENGINE_BYTES = 850 << 10;

let staged;
before(async (t) => {
  staged = path.join(directory(t), 'package');
  await stage('0.0.0', staged);
});

/** What a program prints that has the package as `Database`. */
const printed = (program, args = []) =>
  execFileSync(process.execPath, [...args, '-e', `const Database = require(${JSON.stringify(staged)}); ${program}`], {
    encoding: 'utf8',
  }).trim();

const compressed = (name) => zlib.gzipSync(fs.readFileSync(path.join(staged, name)), { level: 9 }).length;

test('JavaScript and the engine are small', () => {
  const scripts = fs.readdirSync(path.join(staged, 'src'), { recursive: true }).filter((name) => name.endsWith('.js'));
  assert.ok(scripts.length > 1);
  // Together, as the package is one compressed stream.
  const all = Buffer.concat(scripts.sort().map((name) => fs.readFileSync(path.join(staged, 'src', name))));
  const bytes = zlib.gzipSync(all, { level: 9 }).length;
  assert.ok(bytes <= MAX_JAVASCRIPT_BYTES, `${bytes} bytes of JavaScript`);
  const engine = compressed('engine/engine.wasm');
  assert.ok(engine <= MAX_ENGINE_BYTES, `${engine} bytes of the engine`);
});

test('a start reads neither the second file nor the slow modules of Node', (t) => {
  const program = path.join(directory(t), 'start.js');
  fs.writeFileSync(
    program,
    `const Database = require(${JSON.stringify(staged)});
     const row = new Database(':memory:').prepare('SELECT 1 AS one').get();
     const own = Object.keys(require.cache).map((name) => require('node:path').basename(name));
     const slow = process.moduleLoadList.filter((name) => /^NativeModule (crypto|os|worker_threads|v8)$/.test(name));
     console.log(JSON.stringify({ row, own, slow }));`,
  );
  const { row, own, slow } = JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8' }));
  assert.deepStrictEqual(row, { one: 1 });
  assert.deepStrictEqual(own, ['start.js', 'index.js', 'system.node']);
  assert.deepStrictEqual(slow, []);
});

test('the second file shares classes and state with the first one', () => {
  const program = `
    const db = new Database(':memory:');
    db.function('fails', () => { throw new RangeError('mine'); });
    const caught = (action) => { try { action(); } catch (error) { return error; } };
    console.log(caught(() => db.prepare('SELECT fails()').get()).message);
    console.log(caught(() => db.aggregate('a', 1)).message);
    console.log(caught(() => db.loadExtension('sha3').prepare("SELECT sha3('a', 1)").get()) instanceof Database.SqliteError);
    console.log(Database.name, Database.SqliteError.name, db.prepare('SELECT 1').constructor.name);`;
  assert.strictEqual(printed(program), 'mine\nExpected second argument to be an options object\ntrue\nDatabase SqliteError Statement');
});

test('the interface of node:sqlite is a module of its own', () => {
  const program = `
    const { DatabaseSync, StatementSync, constants } = require(${JSON.stringify(path.join(staged, 'src/node-sqlite.js'))});
    const db = new DatabaseSync(':memory:');
    const fails = () => { try { db.exec('x'); } catch (error) { return error.cause instanceof Database.SqliteError; } };
    console.log(DatabaseSync.name, StatementSync.name, Object.keys(constants).length, db.prepare('SELECT 1 AS one').get().one, fails());`;
  assert.strictEqual(printed(program), 'DatabaseSync StatementSync 0 1 true');
});

test('extensions run, on a thread of their own too', () => {
  const program = `
    const db = new Database(':memory:').loadExtension('define', { time: 60000 }).loadExtension('sha3');
    db.exec("SELECT define('twice', '?1 * 2')");
    console.log(db.prepare("SELECT twice(21) AS a, length(sha3('')) AS b").raw().get().join());`;
  assert.strictEqual(printed(program), '42,32');
});
