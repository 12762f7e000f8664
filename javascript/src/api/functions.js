'use strict';
// `function` and `aggregate`: functions of the program that SQL can call.

const { CALL } = require('../opcodes.js');
const { AggregateFunction, ScalarFunction } = require('./callbacks.js');
const { booleanOption } = require('./options.js');

/** Flags of `sqlite3_create_function_v2`. */
const UTF8 = 1;
const DETERMINISTIC = 0x800;
const DIRECT_ONLY = 0x80000;

/** What CREATE_FUNCTION registers. */
const KIND = Object.freeze({ SCALAR: 1, AGGREGATE: 2, WINDOW: 3 });

const MAX_ARGUMENTS = 100;

function lengthOf(fn) {
  const { length } = fn;
  if (Number.isInteger(length) && length >= 0) return length;
  throw new TypeError('Expected function.length to be a positive integer');
}

function checkArguments(count) {
  if (count > MAX_ARGUMENTS) {
    throw new RangeError('User-defined functions cannot have more than 100 arguments');
  }
  return count;
}

function checkName(name) {
  if (!name) throw new TypeError('User-defined function name cannot be an empty string');
}

/** The options that all functions have. */
function readOptions(options, connection) {
  const safeIntegers =
    'safeIntegers' in options ? booleanOption(options, 'safeIntegers') : connection.safeIntegers;
  const flags =
    UTF8 |
    (booleanOption(options, 'deterministic') ? DETERMINISTIC : 0) |
    (booleanOption(options, 'directOnly') ? DIRECT_ONLY : 0);
  return { safeIntegers, flags, isVariadic: booleanOption(options, 'varargs') };
}

function register(connection, callbacks, { name, count, flags, kind, entry }) {
  connection.checkIdle();
  connection.hasFunctions = true;
  const number = callbacks.add(entry);
  connection.run(() =>
    connection.call((writer) => {
      writer.u8(CALL.CREATE_FUNCTION);
      writer.text(name);
      writer.u32(count);
      writer.u32(flags);
      writer.u8(kind);
      writer.u32(number);
    }),
  );
}

/** `db.function(name, [options], fn)` */
function defineFunction(connection, callbacks, name, givenOptions, givenFn) {
  const isShort = typeof givenOptions === 'function';
  const fn = isShort ? givenOptions : givenFn;
  const options = isShort ? {} : (givenOptions ?? {});
  if (typeof name !== 'string') throw new TypeError('Expected first argument to be a string');
  if (typeof fn !== 'function') throw new TypeError('Expected last argument to be a function');
  if (typeof options !== 'object') throw new TypeError('Expected second argument to be an options object');
  checkName(name);
  const { safeIntegers, flags, isVariadic } = readOptions(options, connection);
  const count = isVariadic ? -1 : checkArguments(lengthOf(fn));
  const entry = new ScalarFunction(name, fn, safeIntegers);
  register(connection, callbacks, { name, count, flags, kind: KIND.SCALAR, entry });
}

function functionOption(options, key) {
  const value = key in options ? options[key] : null;
  if (typeof value === 'function') return value;
  if (value !== null && value !== undefined) {
    throw new TypeError(`Expected the "${key}" option to be a function`);
  }
  return null;
}

/** `db.aggregate(name, options)` */
function defineAggregate(connection, callbacks, name, options) {
  if (typeof name !== 'string') throw new TypeError('Expected first argument to be a string');
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('Expected second argument to be an options object');
  }
  checkName(name);
  const start = 'start' in options ? options.start : null;
  const step = functionOption(options, 'step');
  if (!step) throw new TypeError('Missing required option "step"');
  const inverse = functionOption(options, 'inverse');
  const result = functionOption(options, 'result');
  const { safeIntegers, flags, isVariadic } = readOptions(options, connection);
  // The first argument is the value so far.
  const longest = isVariadic ? 0 : Math.max(lengthOf(step), inverse ? lengthOf(inverse) : 0);
  const count = isVariadic ? -1 : checkArguments(Math.max(longest - 1, 0));
  const entry = new AggregateFunction(name, { start, step, inverse, result }, safeIntegers);
  const kind = inverse ? KIND.WINDOW : KIND.AGGREGATE;
  register(connection, callbacks, { name, count, flags, kind, entry });
}

module.exports = { defineAggregate, defineFunction };
