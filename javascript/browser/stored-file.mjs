// A file of the origin private file system (OPFS) by its synchronous access handle, which no other tab can have at the
// same time. SQLite opens and closes it many times; the handle stays open until the database is closed.

import { ERROR, FileError } from '../src/files/errors.js';
import { LocalLock } from './local-lock.mjs';

/** A failure of the browser as one of wit/host/files.wit. */
function translated(error) {
  if (!(error instanceof DOMException) && !(error instanceof TypeError)) throw error;
  return new FileError(error.name === 'QuotaExceededError' ? ERROR.FULL : ERROR.IO);
}

/** The bytes of a handle from `base` on. */
export class Stored {
  #handle;
  #base;
  /** Asked once: nobody else can change it. */
  #size;
  /** The locks of those that have it open. */
  locks = new Set();

  constructor(handle, base = 0) {
    this.#handle = handle;
    this.#base = base;
    this.#size = Math.max(0, handle.getSize() - base);
  }

  get size() {
    return this.#size;
  }

  /** Fewer bytes than wanted only at the end of the file. */
  read(bytes, offset) {
    try {
      return offset >= this.#size ? 0 : this.#handle.read(bytes, { at: this.#base + offset });
    } catch (error) {
      throw translated(error);
    }
  }

  write(bytes, offset) {
    let count;
    try {
      count = this.#handle.write(bytes, { at: this.#base + offset });
    } catch (error) {
      this.#size = Math.max(0, this.#handle.getSize() - this.#base);
      throw translated(error);
    }
    this.#size = Math.max(this.#size, offset + count);
    // Chromium writes what there is room for.
    if (count < bytes.length) throw new FileError(ERROR.FULL);
  }

  truncate(size) {
    try {
      this.#handle.truncate(this.#base + size);
    } catch (error) {
      throw translated(error);
    }
    this.#size = size;
  }

  flush() {
    try {
      this.#handle.flush();
    } catch (error) {
      throw translated(error);
    }
  }

  close() {
    this.#handle.close();
  }
}

/** What SQLite has open of it. */
export class StoredFile {
  shared = null;
  /**
   * @param {Stored} stored
   * @param {() => void} closed
   */
  constructor(stored, closed) {
    this.stored = stored;
    this.lock = new LocalLock(stored.locks);
    this.closed = closed;
  }

  read(memory, start, length, offset) {
    return this.stored.read(memory.subarray(start, start + length), offset);
  }

  write(memory, start, length, offset) {
    this.stored.write(memory.subarray(start, start + length), offset);
  }

  size() {
    return this.stored.size;
  }

  truncate(size) {
    this.stored.truncate(size);
  }

  sync() {
    this.stored.flush();
  }

  reserve() {
    throw new FileError(ERROR.UNSUPPORTED);
  }

  raise(level) {
    return this.lock.raise(level);
  }

  hasMoved() {
    return false;
  }

  canShare() {
    return false;
  }

  close() {
    this.lock.end();
    this.closed();
  }
}
