'use strict';
// The files of Node, below the paths that are granted.

const fs = require('node:fs');

const { ERROR, FileError } = require('./errors.js');
const { File, syncDirectory } = require('./file.js');
const { FLAG } = require('./flags.js');
const { nameAt } = require('./names.js');
const { sharedImports } = require('./shared-imports.js');
const { system } = require('./system.js');

/** Names of journals whose bytes are kept: those of the database. */
const MAX_KNOWN_NAMES = 4;

class Disk {
  #names = [];

  /**
   * @param {import('./paths.js').Paths} paths
   * @param {'shared' | 'alone' | 'reading'} sharing
   */
  constructor(paths, sharing) {
    this.paths = paths;
    this.sharing = sharing;
  }

  open(name, how) {
    if (how & FLAG.REWRITE) throw new FileError(ERROR.UNSUPPORTED);
    return File.open(this.paths.place(name, (how & FLAG.NO_FOLLOW) === 0), how, this.sharing);
  }

  temporary() {
    return File.temporary();
  }

  remove(name, syncs) {
    const place = this.paths.place(name, false);
    if (place.isReadOnly || this.sharing === 'reading') throw new FileError(ERROR.READ_ONLY);
    fs.unlinkSync(place.path);
    if (syncs) syncDirectory(place.path);
  }

  /** Whether a file exists and is not empty. */
  #exists(name) {
    if (system) return system.sizeAt(Buffer.from(`${name}\0`)) > 0;
    const status = fs.statSync(name, { throwIfNoEntry: false });
    return status !== undefined && (!status.isFile() || status.size > 0);
  }

  /**
   * A name that was asked for before, with its zero byte: SQLite looks for the journals of its database
   * before each statement, and these names need no resolution.
   */
  #knownName(u8, pointer, length) {
    for (const known of this.#names) {
      if (known.length === length + 1 && startsWith(u8, pointer, known, length)) return known;
    }
    return null;
  }

  /** Whether the file at an address exists and is not empty, or can also be written. */
  access(memory, pointer, length, isWriting) {
    const known = system && !isWriting ? this.#knownName(memory.u8, pointer, length) : null;
    if (known) return system.sizeAt(known) > 0;
    const name = nameAt(memory, pointer, length);
    const place = this.paths.place(name, true);
    if (this.paths.isFixed(name) && this.#names.length < MAX_KNOWN_NAMES) this.#names.push(Buffer.from(`${name}\0`));
    if (!isWriting) return this.#exists(place.path);
    fs.accessSync(place.path, fs.constants.R_OK | fs.constants.W_OK);
    return !place.isReadOnly && this.sharing !== 'reading';
  }

  resolve(name) {
    return this.paths.resolve(name);
  }

  sharedMemory(files) {
    return sharedImports(files);
  }
}

/** Whether memory at `start` has the first bytes of a name, which is short. */
function startsWith(memory, start, name, length) {
  for (let index = 0; index < length; index++) if (memory[start + index] !== name[index]) return false;
  return true;
}

module.exports = { Disk };
