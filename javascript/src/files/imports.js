'use strict';
// `files` of wit/host in its lowered form: pointers are addresses in the engine's memory, and results are
// stored where the last argument says. What a name is, and what is behind it, is decided by a disk:
// disk.js in Node, browser/opfs.mjs in browsers.

const { ERROR, FileError, codeOf } = require('./errors.js');
const { FLAG, LEVEL } = require('./flags.js');
const { nameAt } = require('./names.js');

/** Longest piece that is read at once: SQLite reads a page, or 1 MiB of an external sort. */
const MAX_READ_BYTES = 16 << 20;

/** The engine chooses how many files are open. */
const MAX_OPEN_FILES = 512;

/** `access-mode`. */
const ACCESS_READ_WRITE = 1;

class Files {
  /** Open files. */
  #open = [];

  /** @param {any} disk */
  constructor(disk) {
    this.disk = disk;
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

  /** The open file with a handle. */
  file(handle) {
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

  /** Stores the result of `operation`: whether it failed, and at `payload` what it returns. */
  store(result, payload, operation) {
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
    const { file, isReadOnly } = this.disk.open(nameAt(this.memory, pointer, length), how);
    const handle = this.#add(file);
    const { u8, view } = this.memory;
    view.setUint32(result + 4, handle, true);
    u8[result + 8] = isReadOnly ? 1 : 0;
    u8[result + 9] = how & FLAG.JOURNAL || !file.canShare() ? 0 : 1;
  }

  #read(handle, offset, length, result) {
    if (length > MAX_READ_BYTES) throw new FileError(ERROR.INVALID);
    const file = this.file(handle);
    const start = this.memory.allocate(length);
    const count = file.read(this.memory.u8, start, length, Number(offset));
    this.memory.view.setUint32(result + 4, start, true);
    this.memory.view.setUint32(result + 8, count, true);
  }

  #access(pointer, length, mode) {
    try {
      this.memory.check(pointer, length);
      return this.disk.access(this.memory, pointer >>> 0, length, mode === ACCESS_READ_WRITE);
    } catch (error) {
      codeOf(error);
      return false;
    }
  }

  #resolve(pointer, length, result) {
    const { path, hadLink } = this.disk.resolve(nameAt(this.memory, pointer, length));
    const bytes = Buffer.from(path);
    const start = this.memory.store(bytes);
    this.memory.view.setUint32(result + 4, start, true);
    this.memory.view.setUint32(result + 8, bytes.length, true);
    this.memory.u8[result + 12] = hadLink ? 1 : 0;
  }

  /** The imports of `sqlite-wasm:host/files`. */
  files() {
    const store = (result, payload, operation) => this.store(result, payload, operation);
    return {
      open: (pointer, length, how, result) =>
        store(result, 4, () => this.#openPath(pointer, length >>> 0, how, result)),
      'open-temporary': (result) =>
        store(result, 4, () => {
          const handle = this.#add(this.disk.temporary());
          this.memory.view.setUint32(result + 4, handle, true);
        }),
      close: (handle) => {
        const file = this.file(handle);
        this.#open[handle] = undefined;
        file.close(this.memory);
      },
      read: (handle, offset, length, result) =>
        store(result, 4, () => this.#read(handle, offset, length >>> 0, result)),
      write: (handle, offset, pointer, length, result) =>
        store(result, 1, () => {
          this.memory.check(pointer, length);
          this.file(handle).write(this.memory.u8, pointer >>> 0, length >>> 0, Number(offset));
        }),
      truncate: (handle, size, result) => store(result, 1, () => this.file(handle).truncate(Number(size))),
      sync: (handle, result) => store(result, 1, () => this.file(handle).sync()),
      size: (handle, result) =>
        store(result, 8, () => {
          const size = this.file(handle).size();
          this.memory.view.setBigUint64(result + 8, BigInt(size), true);
        }),
      reserve: (handle, size, result) => store(result, 1, () => this.file(handle).reserve(Number(size))),
      lock: (handle, level, result) =>
        store(result, 1, () => {
          this.memory.u8[result + 1] = this.file(handle).raise(level) ? 1 : 0;
        }),
      unlock: (handle, level, result) =>
        store(result, 1, () => this.file(handle).lock.lower(level === LEVEL.SHARED ? level : LEVEL.NONE)),
      'lock-state': (handle) => this.file(handle).lock.level,
      'is-reserved': (handle, result) =>
        store(result, 1, () => {
          this.memory.u8[result + 1] = this.file(handle).lock.isReserved() ? 1 : 0;
        }),
      'has-moved': (handle) => (this.file(handle).hasMoved() ? 1 : 0),
      delete: (pointer, length, syncs, result) =>
        store(result, 1, () => this.disk.remove(nameAt(this.memory, pointer, length >>> 0), syncs !== 0)),
      access: (pointer, length, mode) => (this.#access(pointer, length >>> 0, mode) ? 1 : 0),
      resolve: (pointer, length, result) =>
        store(result, 4, () => this.#resolve(pointer, length >>> 0, result)),
    };
  }

  /** The imports of `sqlite-wasm:host/shared-memory`. */
  sharedMemory() {
    return this.disk.sharedMemory(this);
  }
}

module.exports = { Files };
