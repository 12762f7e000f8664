'use strict';
// How a database is opened: the file behind its name, and how it is shared with other programs.

const fs = require('node:fs');
const path = require('node:path');

const { engineModule } = require('../engine/module.js');
const { Disk } = require('../files/disk.js');
const { Files } = require('../files/imports.js');
const { Paths } = require('../files/paths.js');
const { system, reason } = require('../files/system.js');
const { Process } = require('../host/process.js');
const { SqliteError } = require('./errors.js');
const { openFlags } = require('./open-flags.js');
const { booleanOption } = require('./options.js');

/** The versions of the file format in the header: 2 for WAL. */
const FORMAT_AT = 18;
const WAL_FORMAT = 2;

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

/** Directories whose files SQL can attach: paths, or `{ path, readonly }`. */
function directoriesOption(options) {
  const directories = 'directories' in options ? options.directories : [];
  if (!Array.isArray(directories)) throw new TypeError('Expected the "directories" option to be an array');
  return directories.map((directory) => {
    const given = typeof directory === 'string' ? { path: directory } : directory;
    if (typeof given?.path !== 'string') throw new TypeError('Expected each directory to have a path');
    return { path: path.resolve(given.path), isReadOnly: booleanOption(given, 'readonly') };
  });
}

/** The paths that an engine can reach, and the path of the database. */
function grants(options) {
  const paths = new Paths();
  for (const { path: directory, isReadOnly } of options.directories) paths.grantDirectory(directory, isReadOnly);
  if (options.isAnonymous) return { paths, target: options.file };
  if (!fs.existsSync(path.dirname(path.resolve(options.file)))) {
    throw new TypeError('Cannot open database because the directory does not exist');
  }
  const target = realPath(options.file);
  paths.grantDatabase(target, options.isReadOnly, true);
  return { paths, target };
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** What an engine gets from Node: files, a clock, and its code. */
function openHost(options) {
  const sharing = sharingOf({ ...options, isFile: !options.isAnonymous });
  const { paths, target } = grants(options);
  if (!options.isAnonymous && fs.existsSync(target)) checkReadable(target, sharing);
  const process_ = new Process({
    workingDirectory: () => process.cwd(),
    sleep: (milliseconds) => Atomics.wait(sleeper, 0, 0, milliseconds),
  });
  return { module: engineModule(options.limits.memory), files: new Files(new Disk(paths, sharing)), process: process_, target };
}

module.exports = { directoriesOption, openFlags, openHost, realPath };
