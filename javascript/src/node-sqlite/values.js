'use strict';
// Values of SQL and of the program as `node:sqlite` converts them.

const { invalidState, invalidValue, invalidType, sqliteError } = require('./errors.js');

const RANGE = 25;
const ERROR = 1;

/** A value that was read with integers as bigints. */
function fromSql(value, readBigInts) {
  if (typeof value === 'bigint' && !readBigInts) {
    const number = Number(value);
    if (Number.isSafeInteger(number)) return number;
    const message = `Value is too large to be represented as a JavaScript number: ${value}`;
    throw Object.assign(new RangeError(message), { code: 'ERR_OUT_OF_RANGE' });
  }
  return Buffer.isBuffer(value) ? new Uint8Array(value) : value;
}

const fitsInteger = (value) => BigInt.asIntN(64, value) === value;
const isBytes = (value) => ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
const bytesOf = (value) =>
  ArrayBuffer.isView(value) ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.from(value);

/** A value for the parameter with an index. */
function bindable(value, index) {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'string') return value;
  if (typeof value === 'boolean') return BigInt(value);
  if (typeof value === 'bigint') {
    if (fitsInteger(value)) return value;
    throw invalidValue('BigInt value is too large to bind.');
  }
  if (isBytes(value)) return bytesOf(value);
  throw invalidType(`Provided value cannot be bound to SQLite parameter ${index}.`);
}

/** What a function of the program returns. */
function returned(value) {
  if (isBytes(value)) return bytesOf(value);
  const isValue = typeof value === 'bigint' ? fitsInteger(value) : ['undefined', 'number', 'string'].includes(typeof value);
  if (!isValue && value !== null) {
    throw sqliteError(ERROR, 'Returned JavaScript value cannot be converted to a SQLite value');
  }
  return value;
}

/** The parameters of a statement: those that a call does not name are NULL. */
class Parameters {
  allowsBare = true;
  allowsUnknown = false;

  /** @param {(string | null)[]} names With their first character, such as `:a`; null for `?`. */
  constructor(names) {
    this.names = names;
  }

  collect(args) {
    const values = new Array(this.names.length).fill(null);
    const [first] = args;
    const hasNames = typeof first === 'object' && first !== null && !isBytes(first);
    if (hasNames) {
      for (const name of Object.keys(first)) {
        const index = this.#indexOf(name);
        if (index >= 0) values[index] = bindable(first[name], index + 1);
        else if (!this.allowsUnknown) throw invalidState(`Unknown named parameter '${name}'`);
      }
    }
    let index = -1;
    for (const value of hasNames ? args.slice(1) : args) {
      do index++; while (/^[:@$]/.test(this.names[index] ?? ''));
      if (index >= values.length) throw sqliteError(RANGE, 'column index out of range');
      values[index] = bindable(value, index + 1);
    }
    return values;
  }

  /** Where the value of a name goes, which can lack its first character. */
  #indexOf(name) {
    const index = this.names.indexOf(name);
    return index < 0 && this.allowsBare ? this.names.findIndex((known) => known?.slice(1) === name) : index;
  }
}

module.exports = { Parameters, fromSql, returned };
