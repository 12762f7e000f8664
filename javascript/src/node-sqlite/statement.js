'use strict';
// `StatementSync`: a prepared statement of the package, which reads integers as bigints and rows as arrays.

const { Statement } = require('../api/statement.js');
const { invalidArgument, invalidState, invalidValue, translating } = require('./errors.js');
const { fromSql } = require('./values.js');

/** Only a database can make statements. */
const PERMIT = Symbol('permit');

/** What iterators inherit. */
const ITERATOR = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));

/** The same object without a prototype, as all that `node:sqlite` returns. */
const bare = (object) => Object.setPrototypeOf(object, null);

const flagOf = (name, value) => {
  if (typeof value !== 'boolean') throw invalidArgument(name, 'a boolean');
  return value;
};

class StatementSync {
  #statement;
  #parts;
  #settings;

  /** @param {any} db A database of the package. */
  constructor(permit, db, sql, settings) {
    if (permit !== PERMIT) throw Object.assign(new Error('Illegal constructor'), { code: 'ERR_ILLEGAL_CONSTRUCTOR' });
    this.#statement = prepared(db, sql).safeIntegers();
    if (this.#statement.reader) this.#statement.raw();
    this.#parts = Statement.partsOf(this.#statement);
    this.#settings = settings;
    this.#parts.parameters.allowsBare = settings.allowBareNamedParameters;
    this.#parts.parameters.allowsUnknown = settings.allowUnknownNamedParameters;
    const computed = (get) => ({ get, enumerable: true });
    Object.defineProperties(this, {
      sourceSQL: computed(() => this.#usable().source),
      expandedSQL: computed(() => this.#usable() && this.#parts.expanded()),
    });
  }

  #usable() {
    if (!this.#statement.database.open) throw invalidState('statement has been finalized');
    return this.#statement;
  }

  #row(values) {
    const { readBigInts, returnArrays } = this.#settings;
    if (returnArrays) return values.map((value) => fromSql(value, readBigInts));
    const row = Object.create(null);
    this.#parts.names().forEach((name, index) => {
      row[name] = fromSql(values[index], readBigInts);
    });
    return row;
  }

  /** Runs a statement without columns instead of reading its rows. */
  #rows(read, args, none) {
    const statement = this.#usable();
    return translating(() => {
      if (statement.reader) return read(statement);
      statement.run(...args);
      return none;
    });
  }

  run(...args) {
    const statement = this.#usable();
    const { changes, lastInsertRowid } = translating(() => statement.run(...args));
    const number = this.#settings.readBigInts ? BigInt : Number;
    return { changes: number(changes), lastInsertRowid: number(lastInsertRowid) };
  }

  get(...args) {
    const values = this.#rows((statement) => statement.get(...args), args);
    return values && this.#row(values);
  }

  all(...args) {
    return this.#rows((statement) => statement.all(...args).map((values) => this.#row(values)), args, []);
  }

  iterate(...args) {
    const rows = this.#rows((statement) => statement.iterate(...args), args, [][Symbol.iterator]());
    const result = (done, value) => bare({ done, value });
    const iterator = Object.create(ITERATOR);
    iterator.next = () => {
      this.#usable();
      const { done, value } = translating(() => rows.next());
      return done ? result(true, null) : result(false, this.#row(value));
    };
    iterator.return = () => {
      rows.return?.();
      return result(true, null);
    };
    return iterator;
  }

  columns() {
    const statement = this.#usable();
    if (!statement.reader) return [];
    return translating(() => statement.columns()).map(bare);
  }

  setReadBigInts(value) {
    this.#settings.readBigInts = flagOf('readBigInts', value);
  }

  setReturnArrays(value) {
    this.#settings.returnArrays = flagOf('returnArrays', value);
  }

  setAllowBareNamedParameters(value) {
    this.#parts.parameters.allowsBare = flagOf('allowBareNamedParameters', value);
  }

  setAllowUnknownNamedParameters(value) {
    this.#parts.parameters.allowsUnknown = flagOf('enabled', value);
  }
}

function prepared(db, sql) {
  try {
    return translating(() => db.prepare(sql));
  } catch (error) {
    throw error instanceof RangeError ? invalidValue('The SQL query contains no statements.') : error;
  }
}

module.exports = { PERMIT, StatementSync, flagOf };
