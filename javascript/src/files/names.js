'use strict';
// The names of files: how the engine sends them, and which belong to one database.

const { ERROR, FileError } = require('./errors.js');

/** What SQLite adds to the name of a database for its journals; the last one is a super-journal. */
const JOURNAL = /^-(?:journal|wal|shm|mj[0-9A-F]{6}9[0-9A-F]{2})$/;

/** The longest path of Linux. */
const MAX_PATH_BYTES = 4096;

/** The text of a path that the engine has sent. */
function nameOf(bytes) {
  if (bytes.length === 0 || bytes.length > MAX_PATH_BYTES || bytes.includes(0)) {
    throw new FileError(ERROR.INVALID);
  }
  const name = bytes.toString('utf8');
  // Other bytes would become another name.
  if (name[0] !== '/' || !Buffer.from(name, 'utf8').equals(bytes)) throw new FileError(ERROR.NOT_GRANTED);
  return name;
}

/** The path at an address of the engine. */
function nameAt(memory, pointer, length) {
  // The engine chooses the length of what is copied.
  if (length > MAX_PATH_BYTES) throw new FileError(ERROR.INVALID);
  return nameOf(Buffer.from(memory.bytes(pointer, length)));
}

module.exports = { JOURNAL, MAX_PATH_BYTES, nameAt };
