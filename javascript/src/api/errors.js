'use strict';
// Errors of SQLite, and of the limits of a connection.

const { CODE_NAMES } = require('../opcodes.js');

/** The result codes by their names; made for the first error. */
let codes = null;

function codesByName() {
  codes ??= new Map(
    CODE_NAMES.flatMap((names, primary) =>
      names.split(' ').flatMap((name, index, [first]) =>
        name ? [[`SQLITE_${index ? `${first}_${name}` : name}`, primary | (index << 8)]] : [],
      ),
    ),
  );
  return codes;
}

/** The name of a result code, such as `SQLITE_BUSY`. */
function codeName(code) {
  const named = (wanted) => [...codesByName()].find(([, number]) => number === wanted)?.[0];
  return named(code) ?? named(code & 0xff) ?? `UNKNOWN_SQLITE_ERROR_${code}`;
}

/** The result code with a name. */
const codeNumber = (name) => codesByName().get(name) ?? 1;

/**
 * An error of SQLite, which can also be called without `new`.
 * @param {string} message
 * @param {string} code The name of SQLite's result code.
 */
function SqliteError(message, code) {
  if (new.target === undefined) return new SqliteError(message, code);
  if (typeof code !== 'string') throw new TypeError('Expected second argument to be a string');
  const error = Reflect.construct(Error, [String(message)], new.target);
  Error.captureStackTrace(error, new.target);
  error.code = code;
  return error;
}
Object.setPrototypeOf(SqliteError, Error);
SqliteError.prototype = Object.create(Error.prototype, {
  constructor: { value: SqliteError, writable: true, configurable: true },
  name: { value: 'SqliteError', writable: true, configurable: true },
});

/** What each limit ends. */
const REACHED = Object.freeze({
  memory: (value) => `the connection has reached its limit of ${value} bytes of memory`,
  statementTime: (value) => `the statement has reached its limit of ${value} ms`,
  rows: (value) => `the statement returns more than its limit of ${value} rows`,
  bytes: (value) => `the statement returns more than its limit of ${value} bytes`,
});

const LIMIT_CODES = Object.freeze({
  memory: 'SQLITE_NOMEM',
  statementTime: 'SQLITE_INTERRUPT',
  rows: 'SQLITE_TOOBIG',
  bytes: 'SQLITE_TOOBIG',
});

/** A limit of the connection was reached: `limit` is the name of its option, `value` its value. */
class LimitError extends SqliteError {
  constructor(limit, value) {
    super(REACHED[limit](value), LIMIT_CODES[limit]);
    this.limit = limit;
    this.value = value;
  }
}
Object.defineProperty(LimitError.prototype, 'name', { value: 'LimitError', writable: true, configurable: true });

module.exports = { LimitError, SqliteError, codeName, codeNumber };
