'use strict';
// `files` and `shared-memory` of wit/host, in their lowered form: pointers are addresses in the
// engine's memory, and results are stored where the last argument says.

const fs = require('node:fs');

const { ERROR, FileError, codeOf } = require('./errors.js');
const { FLAG, File, syncDirectory } = require('./file.js');
const { LEVEL } = require('./locks.js');
const { MAX_PATH_BYTES, nameOf } = require('./paths.js');
const { STATE, SharedMemory } = require('./shared-memory.js');
const { system } = require('./system.js');

/** Longest piece that is read at once: SQLite reads a page, or 1 MiB of an external sort. */
const MAX_READ_BYTES = 16 << 20;

/** The engine chooses how many files are open. */
const MAX_OPEN_FILES = 512;

/** Names of journals whose bytes are kept: those of the database. */
const MAX_KNOWN_NAMES = 4;

/** `access-mode`. */
const ACCESS_READ_WRITE = 1;

class Files {
  /** @type {(File | undefined)[]} */
  #open = [];
  #names = [];

  /**
   * @param {import('./paths.js').Paths} paths
   * @param {'shared' | 'alone' | 'reading'} sharing
   */
  constructor(paths, sharing) {
    this.paths = paths;
    this.sharing = sharing;
    this.memory = null;
  }

  /** Closes all that is open; the engine has ended. */
  closeAll() {
    for (const file of this.#open) {
      try {
        file?.close(this.memory);
      } catch {
        // The others are closed all the same.
      }
    }
    this.#open = [];
  }

  #file(handle) {
    const file = this.#open[handle];
    if (!file) throw new Error(`no open file has the handle ${handle}`);
    return file;
  }

  #add(file) {
    let handle = this.#open.indexOf(undefined);
    if (handle < 0) handle = this.#open.length;
    if (handle >= MAX_OPEN_FILES) {
      file.close(this.memory);
      throw new FileError(ERROR.TOO_MANY_FILES);
    }
    this.#open[handle] = file;
    return handle;
  }

  #name(pointer, length) {
    // The engine chooses the length of what is copied.
    if (length > MAX_PATH_BYTES) throw new FileError(ERROR.INVALID);
    return nameOf(Buffer.from(this.memory.bytes(pointer, length)));
  }

  /** Stores the result of `operation`: whether it failed, and at `payload` what it returns. */
  #store(result, payload, operation) {
    let code;
    try {
      operation();
      code = -1;
    } catch (error) {
      code = codeOf(error);
    }
    // The operation can have made the memory larger.
    const { u8 } = this.memory;
    u8[result] = code < 0 ? 0 : 1;
    if (code >= 0) u8[result + payload] = code;
  }

  #openPath(pointer, length, how, result) {
    if (how & FLAG.REWRITE) throw new FileError(ERROR.UNSUPPORTED);
    const place = this.paths.place(this.#name(pointer, length), (how & FLAG.NO_FOLLOW) === 0);
    const { file, isReadOnly } = File.open(place, how, this.sharing);
    const handle = this.#add(file);
    const { u8, view } = this.memory;
    view.setUint32(result + 4, handle, true);
    u8[result + 8] = isReadOnly ? 1 : 0;
    u8[result + 9] = how & FLAG.JOURNAL || !file.canShare() ? 0 : 1;
  }

  #read(handle, offset, length, result) {
    if (length > MAX_READ_BYTES) throw new FileError(ERROR.INVALID);
    const file = this.#file(handle);
    const start = this.memory.allocate(length);
    const count = file.read(this.memory.u8, start, length, Number(offset));
    this.memory.view.setUint32(result + 4, start, true);
    this.memory.view.setUint32(result + 8, count, true);
  }

  #delete(pointer, length, syncs) {
    const place = this.paths.place(this.#name(pointer, length), false);
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
  #knownName(pointer, length) {
    const { u8 } = this.memory;
    for (const known of this.#names) {
      if (known.length === length + 1 && startsWith(u8, pointer, known, length)) return known;
    }
    return null;
  }

  #access(pointer, length, mode) {
    try {
      this.memory.check(pointer, length);
      const known = system && mode !== ACCESS_READ_WRITE ? this.#knownName(pointer, length) : null;
      if (known) return system.sizeAt(known) > 0;
      const name = this.#name(pointer, length);
      const place = this.paths.place(name, true);
      if (this.paths.isFixed(name) && this.#names.length < MAX_KNOWN_NAMES) this.#names.push(Buffer.from(`${name}\0`));
      if (mode !== ACCESS_READ_WRITE) return this.#exists(place.path);
      fs.accessSync(place.path, fs.constants.R_OK | fs.constants.W_OK);
      return !place.isReadOnly && this.sharing !== 'reading';
    } catch (error) {
      codeOf(error);
      return false;
    }
  }

  #resolve(pointer, length, result) {
    const { path, hadLink } = this.paths.resolve(this.#name(pointer, length));
    const bytes = Buffer.from(path);
    const start = this.memory.store(bytes);
    this.memory.view.setUint32(result + 4, start, true);
    this.memory.view.setUint32(result + 8, bytes.length, true);
    this.memory.u8[result + 12] = hadLink ? 1 : 0;
  }

  /** The imports of `sqlite-wasm:host/files`. */
  files() {
    const store = (result, payload, operation) => this.#store(result, payload, operation);
    return {
      open: (pointer, length, how, result) =>
        store(result, 4, () => this.#openPath(pointer, length >>> 0, how, result)),
      'open-temporary': (result) =>
        store(result, 4, () => {
          const handle = this.#add(File.temporary());
          this.memory.view.setUint32(result + 4, handle, true);
        }),
      close: (handle) => {
        const file = this.#file(handle);
        this.#open[handle] = undefined;
        file.close(this.memory);
      },
      read: (handle, offset, length, result) =>
        store(result, 4, () => this.#read(handle, offset, length >>> 0, result)),
      write: (handle, offset, pointer, length, result) =>
        store(result, 1, () => {
          this.memory.check(pointer, length);
          this.#file(handle).write(this.memory.u8, pointer >>> 0, length >>> 0, Number(offset));
        }),
      truncate: (handle, size, result) => store(result, 1, () => this.#file(handle).truncate(Number(size))),
      sync: (handle, result) => store(result, 1, () => this.#file(handle).sync()),
      size: (handle, result) =>
        store(result, 8, () => {
          const size = this.#file(handle).size();
          this.memory.view.setBigUint64(result + 8, BigInt(size), true);
        }),
      reserve: (handle, size, result) => store(result, 1, () => this.#file(handle).reserve(Number(size))),
      lock: (handle, level, result) =>
        store(result, 1, () => {
          this.memory.u8[result + 1] = this.#file(handle).raise(level) ? 1 : 0;
        }),
      unlock: (handle, level, result) =>
        store(result, 1, () => this.#file(handle).lock.lower(level === LEVEL.SHARED ? level : LEVEL.NONE)),
      'lock-state': (handle) => this.#file(handle).lock.level,
      'is-reserved': (handle, result) =>
        store(result, 1, () => {
          this.memory.u8[result + 1] = this.#file(handle).lock.isReserved() ? 1 : 0;
        }),
      'has-moved': (handle) => (this.#file(handle).hasMoved() ? 1 : 0),
      delete: (pointer, length, syncs, result) =>
        store(result, 1, () => this.#delete(pointer, length >>> 0, syncs !== 0)),
      access: (pointer, length, mode) => (this.#access(pointer, length >>> 0, mode) ? 1 : 0),
      resolve: (pointer, length, result) =>
        store(result, 4, () => this.#resolve(pointer, length >>> 0, result)),
    };
  }

  #shared(handle) {
    const { shared } = this.#file(handle);
    if (!shared) throw new FileError(ERROR.INVALID);
    return shared;
  }

  #openShared(handle, isReadOnly) {
    const file = this.#file(handle);
    if (file.shared) return file.shared.attend();
    if (!file.canShare()) throw new FileError(ERROR.UNSUPPORTED);
    const place = this.paths.place(`${file.place.path}-shm`, false);
    const how = isReadOnly ? 0 : FLAG.READ_WRITE | FLAG.CREATE | FLAG.JOURNAL;
    const opened = File.open(place, how, 'shared');
    const shared = new SharedMemory(opened.file.descriptor, isReadOnly || opened.isReadOnly);
    const state = shared.attend();
    if (state === STATE.BUSY) shared.close(this.memory);
    else file.shared = shared;
    return state;
  }

  #closeShared(handle, deletes) {
    const file = this.#file(handle);
    if (!file.shared) return;
    const { shared } = file;
    file.shared = null;
    const place = this.paths.place(`${file.place.path}-shm`, false);
    // A file that stays does no harm: the next connection empties it.
    if (deletes && !shared.isReadOnly && !place.isReadOnly) fs.rmSync(place.path, { force: true });
    shared.close(this.memory);
  }

  /** The imports of `sqlite-wasm:host/shared-memory`. */
  sharedMemory() {
    const store = (result, operation) => this.#store(result, 1, operation);
    const answer = (result, operation) =>
      store(result, () => {
        this.memory.u8[result + 1] = Number(operation());
      });
    const refused = (_file, _offset, _pointer, _length, result) =>
      store(result, () => {
        throw new FileError(ERROR.UNSUPPORTED);
      });
    return {
      'shm-open': (handle, isReadOnly, result) => answer(result, () => this.#openShared(handle, isReadOnly !== 0)),
      'shm-reach': (handle, bytes, extend, result) =>
        answer(result, () => this.#shared(handle).reach(Number(bytes), extend !== 0)),
      'shm-map': (handle, offset, pointer, length, result) =>
        store(result, () =>
          this.#shared(handle).map(Number(offset), this.memory, pointer >>> 0, length >>> 0),
        ),
      'shm-lock': (handle, first, count, how, result) =>
        answer(result, () => this.#shared(handle).lock(this.memory, first, count, how)),
      'shm-barrier': () => system.barrier(),
      'shm-has-reader': (handle, result) => answer(result, () => this.#shared(handle).hasReader()),
      'shm-close': (handle, deletes) => this.#closeShared(handle, deletes !== 0),
      'map-file': refused,
      'unmap-file': () => {},
    };
  }
}

/** Whether memory at `start` has the first bytes of a name, which is short. */
function startsWith(memory, start, name, length) {
  for (let index = 0; index < length; index++) if (memory[start + index] !== name[index]) return false;
  return true;
}

module.exports = { Files };
