'use strict';
// The figures of the package, beside its peers: `node bench/figures.js [ours] [better-sqlite3] …`. Each peer
// runs in a process of its own. Times are those of the processor, the smallest of three runs: other programs
// change them less than the time of a clock. The start is the time of a clock.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const ROWS = 100_000;
const POINTS = 20_000;
const RUNS = 3;

/** Opens a database with a peer, in better-sqlite3's words; rows are objects with decoded values. */
const PEERS = {
  ours: () => opener(require('sqlite-sandbox')),
  source: () => opener(require('../src/index.js')),
  'better-sqlite3': () => opener(require('better-sqlite3')),
  'node:sqlite': () => opener(require('node:sqlite').DatabaseSync),
  'node-sqlite3-wasm': () => adapted(require('node-sqlite3-wasm').Database),
};

const opener = (Database) => (file) => new Database(file);

/** node-sqlite3-wasm takes values as an array, and statements must be finalized. */
function adapted(Database) {
  return (file) => {
    const db = new Database(file);
    const prepare = (sql) => {
      const statement = db.prepare(sql);
      const each = (method) => (...args) => statement[method](args);
      return { run: each('run'), get: each('get'), all: each('all'), end: () => statement.finalize() };
    };
    return { exec: (sql) => db.exec(sql), prepare, close: () => db.close() };
  };
}

/** Milliseconds of the processor. */
function measured(action) {
  let best = Infinity;
  for (let run = 0; run < RUNS; run++) {
    const before = process.cpuUsage();
    action();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return Math.round(best);
}

function prepared(db, sql, use) {
  const statement = db.prepare(sql);
  const result = use(statement);
  statement.end?.();
  return result;
}

function measure(open, file) {
  const memory = open(':memory:');
  memory.exec('CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL, d INTEGER)');
  const all = (sql) => measured(() => prepared(memory, sql, (statement) => statement.all()));
  const insert = measured(() => {
    memory.exec('DELETE FROM t; BEGIN');
    prepared(memory, 'INSERT INTO t VALUES(?, ?, ?, ?)', (statement) => {
      for (let n = 1; n <= ROWS; n++) statement.run(n, `name ${n}`, n / 3, n % 100);
    });
    memory.exec('COMMIT');
  });
  const result = {
    insert,
    scan: all('SELECT * FROM t'),
    group: all('SELECT d, count(*), sum(c), max(b) FROM t GROUP BY d'),
    join: all('SELECT count(*) FROM t x JOIN t y ON y.a = x.d + 1'),
  };
  memory.close();
  const db = open(file);
  result.points = measured(() =>
    prepared(db, 'SELECT b FROM t WHERE a = ?', (statement) => {
      for (let n = 0; n < POINTS; n++) statement.get((n % 10_000) + 1);
    }),
  );
  db.close();
  return result;
}

/** Microseconds of the processor for a call of an extension's scalar function. */
function extensionCall(open) {
  const db = open(':memory:').loadExtension('text');
  const counting = (value) =>
    measured(() => db.prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS}) SELECT count(${value}) FROM n`).get());
  const call = (counting("text_length('abc' || i)") - counting("length('abc' || i)")) / ROWS;
  db.close();
  return Number((call * 1000).toFixed(2));
}

function start(name) {
  const began = performance.now();
  PEERS[name]()(':memory:').prepare('SELECT 1').get();
  return Number((performance.now() - began).toFixed(1));
}

function file() {
  const made = path.join(os.tmpdir(), `sqlite-sandbox-points-${process.pid}.db`);
  const db = new (require('../src/index.js'))(made);
  db.exec(`CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) INSERT INTO t SELECT i, 'value ' || i FROM n`);
  db.close();
  return made;
}

const [, , ...args] = process.argv;
if (args[0] === '--start') {
  console.log(JSON.stringify(start(args[1])));
} else if (args[0] === '--one') {
  const open = PEERS[args[1]]();
  const result = measure(open, args[2]);
  if (['ours', 'source'].includes(args[1])) result.extensionCall = extensionCall(open);
  console.log(JSON.stringify(result));
} else {
  const points = file();
  const child = (...given) => JSON.parse(execFileSync(process.execPath, [__filename, ...given], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  for (const name of args.length > 0 ? args : Object.keys(PEERS)) {
    try {
      const starts = [1, 2, 3, 4, 5].map(() => child('--start', name));
      console.log(name, JSON.stringify({ start: Math.min(...starts), ...child('--one', name, points) }));
    } catch {
      console.log(name, 'cannot be used here');
    }
  }
  fs.rmSync(points);
}
