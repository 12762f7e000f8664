'use strict';
// `DatabaseSync` of `node:sqlite` on a database of the package.

const { fileURLToPath } = require('node:url');

const { Database, DBCONFIG } = require('../api/database.js');
const { invalidArgument, invalidState, sqliteError, translating } = require('./errors.js');
const { PERMIT, StatementSync, flagOf } = require('./statement.js');
const { Parameters, fromSql, returned } = require('./values.js');

const CANTOPEN = 14;

function pathOf(given) {
  const path = ArrayBuffer.isView(given) ? Buffer.from(given.buffer, given.byteOffset, given.byteLength).toString() : given;
  if (path instanceof URL) return fileURLToPath(path);
  if (typeof path === 'string' && !path.includes('\0')) return path;
  throw invalidArgument('path', 'a string, Uint8Array, or URL without null bytes');
}

function optionsOf(given) {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null) throw invalidArgument('options', 'an object');
  return given;
}

/** Options that are true or false, by their defaults. */
function flagsOf(options, defaults) {
  return Object.fromEntries(
    Object.entries(defaults).map(([name, standard]) => [name, flagOf(`options.${name}`, options[name] ?? standard)]),
  );
}

/** Where the package has other names for options, and what only `node:sqlite` has. */
const OPENING = Object.freeze({
  open: true, readOnly: false, allowExtension: false, defensive: true,
  enableForeignKeyConstraints: true, enableDoubleQuotedStringLiterals: false,
});
const STATEMENT = Object.freeze({
  readBigInts: false, returnArrays: false, allowBareNamedParameters: true, allowUnknownNamedParameters: false,
});
const FUNCTION = Object.freeze({ useBigIntArguments: false, varargs: false, deterministic: false, directOnly: false });

function functionOf(name, fn) {
  if (typeof fn !== 'function') throw invalidArgument(name, 'a function');
  return fn;
}

function textOf(name, text) {
  if (typeof text !== 'string') throw invalidArgument(name, 'a string');
  return text;
}

class DatabaseSync {
  #path;
  #opening;
  #statements;
  #others;
  #db = null;
  #canLoad;

  constructor(path, given) {
    this.#path = pathOf(path);
    const options = optionsOf(given);
    this.#opening = flagsOf(options, OPENING);
    this.#statements = flagsOf(options, STATEMENT);
    this.#canLoad = this.#opening.allowExtension;
    // The package has its own name for this one, and options that Node has not.
    const { readOnly: _, ...others } = options;
    this.#others = others;
    const computed = (get) => ({ get, enumerable: true });
    Object.defineProperties(this, {
      isOpen: computed(() => this.#db !== null),
      isTransaction: computed(() => this.#opened().inTransaction),
    });
    if (this.#opening.open) this.open();
  }

  /** The database of the package; how both see it is the same. */
  static databaseOf(database) {
    return database.#opened();
  }

  #opened() {
    if (!this.#db) throw invalidState('database is not open');
    return this.#db;
  }

  #connection() {
    return Database.partsOf(this.#opened()).connection;
  }

  open() {
    if (this.#db) throw invalidState('database is already open');
    const { readOnly, defensive, enableForeignKeyConstraints, enableDoubleQuotedStringLiterals } = this.#opening;
    this.#db = translating(() => opened(this.#path, { timeout: 0, ...this.#others, readonly: readOnly }));
    const connection = this.#connection();
    connection.Parameters = Parameters;
    connection.ignoresTail = true;
    // Others may change the database while rows are read.
    connection.isUnsafe = true;
    connection.configure([
      [DBCONFIG.DEFENSIVE, defensive],
      [DBCONFIG.ENABLE_FKEY, enableForeignKeyConstraints],
      [DBCONFIG.DQS_DML, enableDoubleQuotedStringLiterals],
      [DBCONFIG.DQS_DDL, enableDoubleQuotedStringLiterals],
    ]);
  }

  close() {
    const db = this.#opened();
    const connection = this.#connection();
    if (connection.isBusy) throw invalidState('database cannot be closed while in a callback');
    connection.iterators = 0;
    this.#db = null;
    db.close();
  }

  [Symbol.dispose]() {
    if (this.#db) this.close();
  }

  exec(sql) {
    const db = this.#opened();
    translating(() => db.exec(textOf('sql', sql)));
  }

  prepare(sql, options) {
    const db = this.#opened();
    return new StatementSync(PERMIT, db, textOf('sql', sql), flagsOf(optionsOf(options), this.#statements));
  }

  function(name, given, last) {
    const db = this.#opened();
    const [options, fn] = typeof given === 'function' ? [{}, given] : [optionsOf(given), last];
    const flags = flagsOf(options, FUNCTION);
    functionOf('function', fn);
    const call = callable(fn, flags);
    translating(() => db.function(name, optionsFor(flags), withLength(fn.length, (...args) => returned(call(...args)))));
  }

  aggregate(name, given) {
    const db = this.#opened();
    const options = optionsOf(given);
    const flags = flagsOf(options, FUNCTION);
    const { start } = options;
    if (start === undefined) throw invalidArgument('options.start', 'a function or a primitive value');
    const step = callable(functionOf('options.step', options.step), flags, 1);
    const inverse = options.inverse && callable(functionOf('options.inverse', options.inverse), flags, 1);
    const { result = (value) => value } = options;
    // The package keeps the value where a step returns nothing.
    const boxed = (fn, { length }) =>
      withLength(length, (box, ...args) => {
        box.value = fn(box.value, ...args);
      });
    translating(() =>
      db.aggregate(name, {
        ...optionsFor(flags),
        start: () => ({ value: typeof start === 'function' ? start() : start }),
        step: boxed(step, options.step),
        ...(inverse && { inverse: boxed(inverse, options.inverse) }),
        result: (box) => returned(result(box.value)),
      }),
    );
  }

  location(name = 'main') {
    const rows = this.#opened().pragma('database_list');
    return rows.find((row) => row.name === name)?.file || null;
  }

  enableLoadExtension(isOn) {
    this.#canLoad = flagOf('allow', isOn) && this.#checkLoading(this.#opening.allowExtension);
  }

  #checkLoading(isAllowed) {
    if (!isAllowed) throw invalidState('extension loading is not allowed');
    return true;
  }

  loadExtension(source, options) {
    const db = this.#opened();
    this.#checkLoading(this.#canLoad);
    const result = translating(() => db.loadExtension(source, options));
    return result === db ? undefined : result.then(() => undefined);
  }

  serialize(name = 'main') {
    return new Uint8Array(translating(() => this.#opened().serialize({ attached: name })));
  }
}

function opened(path, options) {
  try {
    return new Database(path, options);
  } catch (error) {
    throw /^Cannot open database/.test(error.message) ? sqliteError(CANTOPEN, 'unable to open database file', error) : error;
  }
}

const optionsFor = ({ varargs, deterministic, directOnly }) => ({ varargs, deterministic, directOnly, safeIntegers: true });

const withLength = (length, fn) => Object.defineProperty(fn, 'length', { value: length });

/** Calls a function of the program with SQL's values behind `first` arguments of its own. */
const callable = (fn, { useBigIntArguments }, first = 0) => (...args) =>
  fn(...args.map((value, index) => (index < first ? value : fromSql(value, useBigIntArguments))));

module.exports = { DatabaseSync };
