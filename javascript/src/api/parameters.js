'use strict';
// The values of parameters from the arguments of a call. All of them are taken before the request is
// begun, since getters and iterators of the program may use the database.

const { putValue } = require('../wire/values.js');
const { CALL } = require('../opcodes.js');

const CANNOT_BIND = 'SQLite3 can only bind numbers, strings, bigints, buffers, and null';
const TOO_BIG = 'The bound string, buffer, or bigint is too big';
const TOO_MANY = 'Too many parameter values were provided';

const MIN_INTEGER = -(2n ** 63n);
const MAX_INTEGER = 2n ** 63n - 1n;

/** Whether the prototype is that of object literals, in any context of this process. */
const isPlainObject = (value) => {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'hasOwnProperty');
};

/** Whether a value is sent as it is, without any check. */
const isPlain = (value) => typeof value === 'number' || typeof value === 'string';

/** A value as it is sent; views become plain buffers, so that writing calls no code of the program. */
function bindable(value) {
  switch (typeof value) {
    case 'number':
    case 'string':
      return value;
    case 'undefined':
      return null;
    case 'bigint':
      if (value < MIN_INTEGER || value > MAX_INTEGER) throw new RangeError(TOO_BIG);
      return value;
    case 'object':
      if (value === null) return null;
      if (ArrayBuffer.isView(value)) return bytesOf(value);
  }
  throw new TypeError(CANNOT_BIND);
}

/** The bytes of a view; of a transferred array buffer none is left. */
const bytesOf = ({ buffer, byteOffset, byteLength }) =>
  byteLength === 0 ? Buffer.alloc(0) : Buffer.from(buffer, byteOffset, byteLength);

/** The parameters of a statement. */
class Parameters {
  /** @param {(string | null)[]} names With their first character, such as `:a`; null for `?`. */
  constructor(names) {
    this.count = names.length;
    this.named = names
      .map((name, index) => ({ name: name?.slice(1), index: index + 1 }))
      .filter(({ name }) => name !== undefined);
    this.anonymous = names.map((name, index) => (name === null ? index + 1 : 0)).filter(Boolean);
  }

  /**
   * The values of a call, one for each parameter.
   * @param {any[]} args An array that nobody else has.
   * @returns {any[]}
   */
  collect(args) {
    if (args.length === this.count && this.named.length === 0 && args.every(isPlain)) return args;
    const values = new Array(this.count);
    let position = 0;
    let named = 0;
    let hasObject = false;
    const add = (value) => {
      // A value is refused before a position that is too high.
      const checked = bindable(value);
      if (position >= this.anonymous.length) throw new RangeError(TOO_MANY);
      values[this.anonymous[position++] - 1] = checked;
    };
    for (const argument of args) {
      if (Array.isArray(argument)) {
        for (let index = 0; index < argument.length; index++) add(argument[index]);
      } else if (typeof argument !== 'object' || argument === null || ArrayBuffer.isView(argument)) {
        add(argument);
      } else if (isPlainObject(argument)) {
        if (hasObject) throw new TypeError('You cannot specify named parameters in two different objects');
        hasObject = true;
        named = this.#addNamed(argument, values);
      } else if (this.named.length > 0) {
        throw new TypeError('Named parameters can only be passed within plain objects');
      } else {
        add(argument);
      }
    }
    this.#checkCount(position + named, hasObject);
    return values;
  }

  #addNamed(object, values) {
    for (const { name, index } of this.named) {
      if (!Object.hasOwn(object, name)) throw new RangeError(`Missing named parameter "${name}"`);
      values[index - 1] = bindable(object[name]);
    }
    return this.named.length;
  }

  #checkCount(count, hasObject) {
    if (count >= this.count) return;
    if (!hasObject && this.named.length > 0) throw new TypeError('Missing named parameters');
    throw new RangeError('Too few parameter values were provided');
  }
}

/** Writes the calls that bind the values of all parameters. */
function writeBindings(writer, handle, values) {
  writer.u8(CALL.BIND);
  writer.u32(handle);
  writer.u32(1);
  putValue(writer, values[0]);
  for (let index = 1; index < values.length; index++) {
    writer.u8(CALL.BIND_NEXT);
    putValue(writer, values[index]);
  }
}

module.exports = { Parameters, writeBindings };
