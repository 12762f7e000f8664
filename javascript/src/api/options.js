'use strict';
// Reading the options of a program.

/** An option that is true, false or missing. */
function booleanOption(options, key) {
  if (!(key in options)) return false;
  const value = options[key];
  if (typeof value !== 'boolean') throw new TypeError(`Expected the "${key}" option to be a boolean`);
  return value;
}

/** A limit: a positive `number`, or nothing for no limit. */
function limitOption(options, key, none = Infinity) {
  const value = key in options ? options[key] : undefined;
  if (value === undefined || value === null) return none;
  if (typeof value !== 'number' || !(value > 0)) {
    throw new TypeError(`Expected the "${key}" option to be a positive number`);
  }
  return value;
}

/** Either the options, or an empty object. */
function optionsObject(options, position) {
  if (options === null || options === undefined) return {};
  if (typeof options !== 'object') {
    throw new TypeError(`Expected ${position} argument to be an options object`);
  }
  return options;
}

/** `true` if the argument is missing. */
function flagArgument(args) {
  if (args.length === 0) return true;
  if (typeof args[0] !== 'boolean') throw new TypeError('Expected first argument to be a boolean');
  return args[0];
}

module.exports = { booleanOption, flagArgument, limitOption, optionsObject };
