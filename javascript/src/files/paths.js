'use strict';
// Which paths SQL can reach. The engine may have been taken over, so this is decided here: the
// database that the program has opened, its journals, and directories that the program has granted.

const fs = require('node:fs');
const path = require('node:path');

const { ERROR, FileError } = require('./errors.js');
const { JOURNAL } = require('./names.js');

/** File systems whose files are the kernel's, such as the memory of this process: see statfs(2). */
const KERNEL_TYPES = new Set([
  0x9fa0, 0x62656572, 0x1cd1, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0xcafe4a11,
  0x6165676c,
]);

const isInside = (directory, file) =>
  directory === '/' || file === directory || file.startsWith(`${directory}/`);

/** Whether the file system of an existing directory is the kernel's. */
function isKernels(directory) {
  return KERNEL_TYPES.has(fs.statfsSync(directory).type);
}

/** @typedef {{ path: string, isReadOnly: boolean }} Place */

class Paths {
  /** The database and its journals, whether they exist or not. */
  #databases = [];
  #directories = [];

  /** Grants a database by its real path. One that is fixed is never revoked. */
  grantDatabase(file, isReadOnly, isFixed = false) {
    this.#databases.push({ path: file, isReadOnly, isFixed });
  }

  /** Whether a name is that of a fixed database, or of its journals. */
  isFixed(name) {
    return this.#databaseOf(name)?.isFixed === true;
  }

  /** Removes the grant that was added last for this path. */
  revokeDatabase(file) {
    const index = this.#databases.findLastIndex((granted) => granted.path === file && !granted.isFixed);
    if (index >= 0) this.#databases.splice(index, 1);
  }

  /** Grants a directory with all that is below it. */
  grantDirectory(directory, isReadOnly) {
    const real = fs.realpathSync.native(directory);
    if (!fs.statSync(real).isDirectory()) throw new TypeError(`${directory} is not a directory`);
    if (isKernels(real)) throw new TypeError(`${directory} has files of the kernel`);
    this.#directories.push({ path: real, isReadOnly });
    // The innermost one decides.
    this.#directories.sort((a, b) => b.path.length - a.path.length);
  }

  /**
   * The real path of a name, and what is allowed there.
   * @param {string} name Absolute.
   * @param {boolean} follow Follow a link in the last part.
   * @returns {Place}
   */
  place(name, follow) {
    const database = this.#databaseOf(name);
    if (database) return { path: name, isReadOnly: database.isReadOnly };
    if (this.#directories.length === 0) throw new FileError(ERROR.NOT_GRANTED);
    const real = this.resolve(name, follow).path;
    const directory = this.#directories.find((granted) => isInside(granted.path, real));
    if (!directory || isKernels(path.dirname(real))) throw new FileError(ERROR.NOT_GRANTED);
    const also = this.#databaseOf(real);
    return { path: real, isReadOnly: also ? also.isReadOnly : directory.isReadOnly };
  }

  #databaseOf(name) {
    for (const granted of this.#databases) {
      if (name === granted.path) return granted;
      if (name.startsWith(granted.path) && JOURNAL.test(name.slice(granted.path.length))) return granted;
    }
    return null;
  }

  /** Follows links and `..`. Parts that do not exist are kept. */
  resolve(name, follow = true) {
    if (this.#databaseOf(name)) return { path: name, hadLink: false };
    if (this.#directories.length === 0) return { path: path.normalize(name), hadLink: false };
    const plain = path.normalize(name);
    const real = realPath(name, follow);
    return { path: real, hadLink: real !== plain };
  }
}

function realPath(name, follow) {
  const last = path.basename(name);
  try {
    if (follow || last === '.' || last === '..') return fs.realpathSync.native(name);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    // A link that leads nowhere could be written through.
    if (fs.lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink()) throw new FileError(ERROR.NOT_GRANTED);
  }
  return path.join(fs.realpathSync.native(path.dirname(name)), last);
}

module.exports = { Paths };
