// A file of the origin private file system (OPFS) by its synchronous access handle, which no other tab can have at the
// same time. SQLite opens and closes it many times; the handle stays open until the database is closed.

import { ERROR, FileError } from '../src/files/errors.js';
import { LocalLock } from './local-lock.mjs';
import { DIRECT, WriteBehind } from './write-behind.mjs';

/** A failure of the browser as one of wit/host/files.wit. */
function translated(error) {
  if (!(error instanceof DOMException) && !(error instanceof TypeError)) throw error;
  return new FileError(error.name === 'QuotaExceededError' ? ERROR.FULL : ERROR.IO);
}

/** How far a reader is read ahead of that goes on where it ended, as the scan of a table does. */
const WINDOW_BYTES = 64 << 10;

/** A gap of so many reads is none: between the leaves of a table are its inner pages, which SQLite has in its cache. */
const MAX_GAP = 4;

/** Journals and WALs are written by pages, and by smaller heads. */
const SECTOR_BYTES = 512;

/**
 * Buffers for the browser by their length, used again and again: it keeps an object for each array that it is given, and
 * those of a scan were 40 MB until the worker's next collection.
 */
const buffers = new Map();

function bufferOf(length) {
  const isPage = length <= WINDOW_BYTES && (length & (length - 1)) === 0;
  if (!isPage && length > SECTOR_BYTES) return new Uint8Array(length);
  if (!buffers.has(length)) buffers.set(length, new Uint8Array(length));
  return buffers.get(length);
}

/** The bytes of a handle from `base` on. */
export class Stored {
  #handle;
  #base;
  /** Asked at the beginning: nobody else can change it. */
  #size;
  /** Bytes that were read ahead, from `#windowStart` on. */
  #window = null;
  #windowStart = 0;
  #windowLength = 0;
  /** Where the last read ended. */
  #next = 0;
  /** The locks of those that have it open. */
  locks = new Set();

  /** The writes that wait of all files of its disk. */
  #behind;

  /**
   * @param {FileSystemSyncAccessHandle} handle
   * @param {WriteBehind} behind
   * @param {{ base?: number, writes?: typeof DIRECT }} options `writes`: which of its writes may wait.
   */
  constructor(handle, behind = new WriteBehind(), { base = 0, writes = DIRECT } = {}) {
    this.#handle = handle;
    this.#base = base;
    this.#askSize();
    this.#behind = behind;
    this.writes = writes;
  }

  get size() {
    return this.#size;
  }

  /** Reads into `memory` at `start`: fewer bytes than wanted only at the end of the file. */
  read(memory, start, length, offset) {
    this.#behind.endOf(this);
    try {
      return this.#fromWindow(memory, start, length, offset) ?? this.#fromHandle(memory, start, length, offset);
    } catch (error) {
      throw translated(error);
    }
  }

  /** What was read ahead, or is now; null if the reader is elsewhere. */
  #fromWindow(memory, start, length, offset) {
    const gap = offset - this.#next;
    this.#next = offset + length;
    if (offset < this.#windowStart || offset + length > this.#windowStart + this.#windowLength) {
      const isSequential = gap >= 0 && gap < MAX_GAP * length && offset > 0;
      if (!isSequential || offset + WINDOW_BYTES > this.#size || length > WINDOW_BYTES / 2) return null;
      this.#readAhead(offset);
      if (length > this.#windowLength) return null;
    }
    const from = offset - this.#windowStart;
    memory.set(this.#window.subarray(from, from + length), start);
    return length;
  }

  #readAhead(offset) {
    this.#window ??= new Uint8Array(WINDOW_BYTES);
    this.#windowLength = 0;
    this.#windowStart = offset;
    try {
      this.#windowLength = this.#handle.read(this.#window, { at: this.#base + offset });
    } catch {
      // A part of the disk cannot be read. It may be one that SQLite did not ask for, which is read by itself then.
    }
  }

  #fromHandle(memory, start, length, offset) {
    if (offset >= this.#size) return 0;
    const buffer = bufferOf(length);
    const count = this.#handle.read(buffer, { at: this.#base + offset });
    memory.set(count < length ? buffer.subarray(0, count) : buffer, start);
    return count;
  }

  write(memory, start, length, offset) {
    this.#windowLength = 0;
    if (this.writes.padding && offset + length > this.#size) this.#pad(offset + length);
    const behind = this.#behind;
    if (this.writes.mayWait(memory[start], length, offset, this.#size) && behind.add(this, memory, start, length, offset)) {
      this.#size = Math.max(this.#size, offset + length);
      return;
    }
    if (behind.endWith(this, memory, start, length, offset)) return;
    behind.end();
    const bytes = bufferOf(length);
    bytes.set(memory.subarray(start, start + length));
    this.put(bytes, offset);
  }

  /** Gives bytes to the browser. */
  put(bytes, offset) {
    const { length } = bytes;
    let count;
    try {
      count = this.#handle.write(bytes, { at: this.#base + offset });
    } catch (error) {
      this.#askSize();
      throw translated(error);
    }
    this.#size = Math.max(this.#size, offset + count);
    if (count === length) return;
    // Chromium writes what there is room for.
    this.#askSize();
    throw new FileError(ERROR.FULL);
  }

  /** Writes padding behind the next write, which ends at `end`. */
  #pad(end) {
    const { padding } = this.writes;
    try {
      const count = this.#handle.write(padding, { at: this.#base + end });
      // The rest of a quota is left to the database.
      if (count < padding.length) this.#handle.truncate(this.#base + this.#size);
    } catch {
      // The write itself reports what fails.
    }
    this.#askSize();
  }

  #askSize() {
    this.#size = Math.max(0, this.#handle.getSize() - this.#base);
  }

  truncate(size) {
    this.#windowLength = 0;
    this.#behind.end();
    try {
      this.#handle.truncate(this.#base + size);
    } catch (error) {
      throw translated(error);
    }
    this.#size = size;
    this.writes.truncated(size);
  }

  flush() {
    this.#behind.end();
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
    return this.stored.read(memory, start, length, offset);
  }

  write(memory, start, length, offset) {
    this.stored.write(memory, start, length, offset);
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
