'use strict';
// Errors with the codes and messages of `node:sqlite`.

const { SqliteError, codeName, codeNumber } = require('../api/errors.js');

const coded = (error, code) => Object.assign(error, { code });

const invalidType = (message) => coded(new TypeError(message), 'ERR_INVALID_ARG_TYPE');
const invalidArgument = (name, wanted) => invalidType(`The "${name}" argument must be ${wanted}.`);
const invalidValue = (message) => coded(new TypeError(message), 'ERR_INVALID_ARG_VALUE');
const invalidState = (message) => coded(new Error(message), 'ERR_INVALID_STATE');

/** An error of SQLite by its result code. `errstr` is the name of the code: SQLite's texts would be a part of every package. */
const sqliteError = (errcode, message, cause) =>
  Object.assign(coded(new Error(message, cause && { cause }), 'ERR_SQLITE_ERROR'), { errcode, errstr: codeName(errcode) });

/** Runs an action of the package; its errors of SQLite become those of `node:sqlite`. */
function translating(action) {
  try {
    return action();
  } catch (error) {
    throw error instanceof SqliteError ? sqliteError(codeNumber(error.code), error.message, error) : error;
  }
}

module.exports = { invalidArgument, invalidState, invalidType, invalidValue, sqliteError, translating };
