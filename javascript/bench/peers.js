'use strict';
// The peers in better-sqlite3's words: `open(file)` returns `{ exec, prepare, close }`, and `prepare` returns
// `{ run, get, all, end }`, whose rows are objects with decoded values. Packages are found below PEERS; ours is OURS.

const { createRequire } = require('node:module');
const path = require('node:path');

const { PEERS, OURS } = process.env;
const installed = createRequire(path.join(PEERS ?? '.', 'package.json'));

const PEER = {
  ours: { hasFiles: true, open: () => opener(require(path.resolve(OURS))) },
  'better-sqlite3': { hasFiles: true, open: () => opener(installed('better-sqlite3')) },
  'node:sqlite': { hasFiles: true, open: () => opener(require('node:sqlite').DatabaseSync) },
  'node-sqlite3-wasm': { hasFiles: true, open: () => finalized(installed('node-sqlite3-wasm').Database) },
  'sql.js': { hasFiles: false, open: async () => sqljs(await installed('sql.js')()) },
  '@sqlite.org/sqlite-wasm': { hasFiles: false, open: official },
};

/** better-sqlite3 12.11.1 aborts on Node 24 if a statement is collected: its destructor then runs without Node's environment. */
const alive = [];

const opener = (Database) => (file) => {
  const db = new Database(file);
  // They finalize statements that nobody can use.
  const prepare = (sql) => {
    const statement = Object.assign(db.prepare(sql), { end() {} });
    alive.push(statement);
    return statement;
  };
  return { db, exec: (sql) => db.exec(sql), prepare, close: () => db.close() };
};

/** node-sqlite3-wasm takes values as an array, and statements must be finalized. */
const finalized = (Database) => (file) => {
  const db = new Database(file);
  const prepare = (sql) => {
    const statement = db.prepare(sql);
    return {
      run: (...values) => statement.run(values),
      get: (...values) => statement.get(values),
      all: (...values) => statement.all(values),
      end: () => statement.finalize(),
    };
  };
  return { exec: (sql) => db.exec(sql), prepare, close: () => db.close() };
};

/** sql.js has rows one by one. */
const sqljs = ({ Database }) => () => {
  const db = new Database();
  const prepare = (sql) => {
    const statement = db.prepare(sql);
    const all = (...values) => {
      statement.bind(values);
      const rows = [];
      while (statement.step()) rows.push(statement.getAsObject());
      statement.reset();
      return rows;
    };
    return { run: (...values) => statement.run(values), get: (...values) => all(...values)[0], all, end: () => statement.free() };
  };
  return { exec: (sql) => db.exec(sql), prepare, close: () => db.close() };
};

/** The package of SQLite's authors, by its object-oriented interface. */
async function official() {
  const file = path.join(PEERS, 'node_modules/@sqlite.org/sqlite-wasm/dist/node.mjs');
  const { default: initialize } = await import(file);
  const { oo1 } = await initialize({ print() {}, printErr() {} });
  return () => {
    const db = new oo1.DB(':memory:');
    const prepare = (sql) => {
      const statement = db.prepare(sql);
      const bound = (values) => (values.length > 0 ? statement.bind(values) : statement);
      const all = (...values) => {
        const rows = [];
        bound(values);
        while (statement.step()) rows.push(statement.get({}));
        statement.reset();
        return rows;
      };
      return { run: (...values) => bound(values).stepReset(), get: (...values) => all(...values)[0], all, end: () => statement.finalize() };
    };
    return { exec: (sql) => db.exec(sql), prepare, close: () => db.close() };
  };
}

module.exports = { PEER };
