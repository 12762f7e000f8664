'use strict';
// How a database is opened: the file behind its name, and how it is shared with other programs.

const fs = require('node:fs');
const path = require('node:path');

const { system, reason } = require('../files/system.js');
const { SqliteError } = require('./errors.js');

/** Flags of `sqlite3_open_v2`. */
const OPEN = Object.freeze({ READONLY: 1, READWRITE: 2, CREATE: 4 });

/** The versions of the file format in the header: 2 for WAL. */
const FORMAT_AT = 18;
const WAL_FORMAT = 2;

function openFlags({ isReadOnly = false, mustExist = false }) {
  if (isReadOnly) return OPEN.READONLY;
  return mustExist ? OPEN.READWRITE : OPEN.READWRITE | OPEN.CREATE;
}

/** The real path of a file that need not exist. */
function realPath(name) {
  const file = path.resolve(name);
  try {
    return fs.realpathSync.native(file);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    if (fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new SqliteError('unable to open database file', 'SQLITE_CANTOPEN');
    }
    return path.join(fs.realpathSync.native(path.dirname(file)), path.basename(file));
  }
}

/**
 * How files are locked: with locks that all programs respect, or, where those are not possible, as the
 * only program that uses them, or for reading.
 * @returns {'shared' | 'alone' | 'reading'}
 */
function sharingOf({ isReadOnly, isExclusive, isFile }) {
  if (system) return 'shared';
  if (isExclusive) return 'alone';
  if (!isFile || isReadOnly) return 'reading';
  throw new SqliteError(
    `files cannot be locked here (${reason}); open the database with { readonly: true }, or with ` +
      '{ exclusive: true } if no other program uses it',
    'SQLITE_CANTOPEN',
  );
}

/** Refuses what would be read wrong: a log whose newest pages nobody tells without locks. */
function checkReadable(file, sharing) {
  if (sharing !== 'reading') return;
  const header = Buffer.alloc(FORMAT_AT + 2);
  const descriptor = fs.openSync(file, 'r');
  try {
    fs.readSync(descriptor, header, 0, header.length, 0);
  } finally {
    fs.closeSync(descriptor);
  }
  if (header[FORMAT_AT] === WAL_FORMAT || header[FORMAT_AT + 1] === WAL_FORMAT) {
    throw new SqliteError(
      `a database in WAL mode needs locks, which are not possible here (${reason}); open it with ` +
        '{ exclusive: true } if no other program uses it',
      'SQLITE_CANTOPEN',
    );
  }
}

module.exports = { checkReadable, openFlags, realPath, sharingOf };
