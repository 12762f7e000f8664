'use strict';
// The results of the module in C, as errors.

const { BY_NAME, ERROR, FileError } = require('./errors.js');

/** The code for an `errno` of the system; their names are loaded at the first failure. */
function ofNumber(number) {
  const { errno } = require('node:os').constants;
  const found = [...BY_NAME].find(([name]) => errno[name] === number);
  return found ? found[1] : ERROR.IO;
}

/** The result of a function of the system's module, which is negative after a failure. */
function checked(result) {
  if (result < 0) throw new FileError(ofNumber(-result));
  return result;
}

module.exports = { checked };
