'use strict';
// Measures one peer in a process of its own; tooling/bench/javascript.py compares them. Prints a line of JSON.
//
//   node player.js PEER start             milliseconds of the clock from import to the first row
//   node player.js PEER ROWS FILE         milliseconds of the processor for each part; FILE has 10,000 rows
//
// A busy machine changes the time of the processor less than that of the clock. The first run of a part compiles its
// code, and counts only if it is slow.

const began = performance.now();

const { PEER } = require('./peers.js');

const [, , name, what, file] = process.argv;
const peer = PEER[name];

const POINTS = 20_000;
const STORED = 10_000;
const RUNS = 3;
/** Milliseconds of the clock, after which a part is not run again. */
const SLOW = 4000;

/** The least time of some runs, in milliseconds, and what was returned. */
function measured(action) {
  const end = performance.now() + SLOW;
  const times = [];
  let result;
  do {
    const before = process.cpuUsage();
    result = action();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  } while (times.length <= RUNS && performance.now() < end);
  return { milliseconds: Math.min(...(times.length > 1 ? times.slice(1) : times)), result };
}

function using(db, sql, use) {
  const statement = db.prepare(sql);
  const result = use(statement);
  statement.end();
  return result;
}

/** A checksum that depends on all values. */
function digest(rows) {
  let sum = 0;
  for (const row of rows) for (const value of Object.values(row)) sum += typeof value === 'string' ? value.length : value;
  return Number(sum.toPrecision(10));
}

const PARTS = {
  insert: (db, rows) => {
    db.exec('DELETE FROM t; BEGIN');
    using(db, 'INSERT INTO t VALUES(?, ?, ?, ?)', (statement) => {
      for (let n = 1; n <= rows; n++) statement.run(n, `name ${n}`, n / 3, n % 100);
    });
    db.exec('COMMIT');
    return [];
  },
  scan: (db) => using(db, 'SELECT * FROM t', (statement) => statement.all()),
  group: (db) => using(db, 'SELECT d, count(*) AS n, sum(c) AS s, max(b) AS m FROM t GROUP BY d', (statement) => statement.all()),
  join: (db) => using(db, 'SELECT count(*) AS n, sum(y.c) AS s FROM t x JOIN t y ON y.a = x.d + 1', (statement) => statement.all()),
};

function parts(open, rows) {
  const db = open(':memory:');
  db.exec('CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL, d INTEGER)');
  const found = {};
  for (const [part, action] of Object.entries(PARTS)) found[part] = measured(() => action(db, rows));
  db.close();
  return found;
}

/** Point reads of a file, each with its locks. */
function points(open) {
  const db = open(file);
  const found = using(db, 'SELECT b FROM t WHERE a = ?', (statement) =>
    measured(() => Array.from({ length: POINTS }, (_, n) => statement.get((n % STORED) + 1))),
  );
  db.close();
  return found;
}

/** Microseconds for a call of a scalar function of an extension. */
function extensionCall(open, rows) {
  const { db, close } = open(':memory:');
  db.loadExtension('text');
  const counting = (value) =>
    measured(() => db.prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT count(${value}) AS n FROM n`).all());
  const [with_, without] = ["text_length('abc' || i)", "length('abc' || i)"].map((value) => counting(value).milliseconds);
  close();
  return ((with_ - without) / rows) * 1000;
}

async function main() {
  if (what === 'start') {
    const db = (await peer.open())(':memory:');
    const row = db.prepare('SELECT 1 AS one').get();
    console.log(JSON.stringify({ start: performance.now() - began, one: row.one }));
    return;
  }
  const rows = Number(what);
  const open = await peer.open();
  const found = parts(open, rows);
  if (peer.hasFiles) found.points = points(open);
  const milliseconds = Object.fromEntries(Object.entries(found).map(([part, { milliseconds: time }]) => [part, time]));
  const digests = Object.fromEntries(Object.entries(found).map(([part, { result }]) => [part, digest(result)]));
  const call = name === 'ours' ? extensionCall(open, rows) : null;
  console.log(JSON.stringify({ milliseconds, digests, call }));
}

main();
