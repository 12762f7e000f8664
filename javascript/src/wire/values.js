'use strict';
// SQL's values in bytes, and the values of JavaScript that stand for them.

const { TAG } = require('../opcodes.js');
const { MalformedReply } = require('./reader.js');

const MIN_INTEGER = -(2n ** 63n);
const MAX_INTEGER = 2n ** 63n - 1n;

const toBuffer = (value) => Buffer.from(value.buffer, value.byteOffset, value.byteLength);

/**
 * Writes a value. As in better-sqlite3, a `number` is a real and a bigint an integer.
 * @returns {boolean} Whether SQL has such a value.
 */
function putValue(writer, value) {
  switch (typeof value) {
    case 'number':
      // SQLite stores a real without a fraction as an integer where the column wants one.
      writer.u8(TAG.REAL);
      writer.f64(value);
      return true;
    case 'string':
      writer.u8(TAG.TEXT);
      writer.text(value);
      return true;
    case 'bigint':
      if (value < MIN_INTEGER || value > MAX_INTEGER) {
        throw new RangeError('The bound string, buffer, or bigint is too big');
      }
      writer.u8(TAG.INTEGER);
      writer.bigint(value);
      return true;
    case 'undefined':
      writer.u8(TAG.NULL);
      return true;
    case 'object':
      if (value === null) {
        writer.u8(TAG.NULL);
        return true;
      }
      if (!ArrayBuffer.isView(value)) return false;
      writer.u8(TAG.BLOB);
      writer.blob(toBuffer(value));
      return true;
    default:
      return false;
  }
}

/**
 * Reads a value.
 * @param {boolean} safeIntegers Integers as bigints; otherwise each is a `number`.
 */
function readValue(reader, safeIntegers) {
  switch (reader.u8()) {
    case TAG.INTEGER:
      return safeIntegers ? reader.bigint() : reader.i64();
    case TAG.TEXT:
      return reader.text();
    case TAG.NULL:
    case TAG.MISSING:
      return null;
    case TAG.REAL:
      return reader.f64();
    case TAG.BLOB:
      return reader.blob();
    case TAG.SUBTYPE:
      reader.u8();
      return readValue(reader, safeIntegers);
    case TAG.POINTER:
      reader.u32();
      return null;
    default:
      throw new MalformedReply();
  }
}

module.exports = { putValue, readValue };
