// A file without a name, in memory: browsers have none that ends with its program. SQLite uses them for VACUUM, for
// large sorts and for temporary tables.

import { ERROR, FileError } from '../src/files/errors.js';
import { UnsharedLock } from '../src/files/flags.js';

/** Bytes of temporary data of one database, beside the memory of the engine. */
export const DEFAULT_TEMPORARY = 256 << 20;

/** What the temporary files of a database may use together. */
export class Budget {
  constructor(bytes) {
    this.left = bytes;
  }

  take(bytes) {
    if (bytes > this.left) throw new FileError(ERROR.FULL);
    this.left -= bytes;
  }
}

export class TemporaryFile {
  shared = null;
  lock = new UnsharedLock();
  #bytes = new Uint8Array(0);
  #size = 0;

  /** @param {Budget} budget */
  constructor(budget) {
    this.budget = budget;
  }

  #reserve(size) {
    if (size <= this.#bytes.length) return;
    const wanted = Math.min(Math.max(size, 2 * this.#bytes.length, 4096), size + this.budget.left);
    this.budget.take(wanted - this.#bytes.length);
    const larger = new Uint8Array(wanted);
    larger.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = larger;
  }

  read(memory, start, length, offset) {
    const count = Math.max(0, Math.min(length, this.#size - offset));
    memory.set(this.#bytes.subarray(offset, offset + count), start);
    return count;
  }

  write(memory, start, length, offset) {
    this.#reserve(offset + length);
    this.#bytes.set(memory.subarray(start, start + length), offset);
    this.#size = Math.max(this.#size, offset + length);
  }

  truncate(size) {
    if (size > this.#size) this.#reserve(size);
    else this.#bytes.fill(0, size, this.#size);
    this.#size = size;
  }

  size() {
    return this.#size;
  }

  sync() {}

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
    this.budget.left += this.#bytes.length;
    this.#bytes = new Uint8Array(0);
    this.#size = 0;
  }
}
