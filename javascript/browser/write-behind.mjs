// Writes of a journal that wait for the next ones: a call of the browser costs more than its bytes. All writes keep their
// order: what waits is written before any other file of the disk is written, truncated or flushed, and before its own file
// is read. So a worker that is killed leaves what it would have left a few writes earlier.

/** As much as waits. */
const MAX_BYTES = 64 << 10;

/** Arrays that are used again. */
const MAX_GIVEN = 32;

/** The head of a frame of a WAL, before its page. */
const FRAME_HEAD_BYTES = 24;

/** Zeros behind a WAL: 63 frames of the usual size. Recovery ends at the first frame whose salt or checksum is wrong. */
export const WAL_PADDING = new Uint8Array(256 << 10);

/** A head of a rollback journal has at least this many bytes. */
const SECTOR_BYTES = 512;

/**
 * A rollback journal: SQLite needs none of it before it flushes the journal or writes the database. The exception are the
 * zeros over its head, which commit. What makes the file longer does not wait either, as the quota may refuse it.
 */
export class JournalWrites {
  /** Whether what waits is still to be written where the write after it has failed. */
  isLasting = true;

  mayWait(firstByte, length, offset, size) {
    const isEnd = offset === 0 && firstByte === 0 && length < SECTOR_BYTES;
    return !isEnd && offset + length <= size;
  }

  truncated() {}
}

/** A WAL: the head of a new frame, which means nothing without the page that follows. */
export class WalWrites {
  isLasting = false;
  /** Written behind a frame that makes the file longer. The next frames replace it, so their flushes store no new length. */
  padding = WAL_PADDING;
  /** Where the frames end that were written since the log was begun or opened. SQLite rewrites heads of no others. */
  #end = 0;

  mayWait(_firstByte, length, offset) {
    const isNew = offset > 0 && offset >= this.#end;
    this.#end = offset === 0 ? length : Math.max(this.#end, offset + length);
    return isNew && length === FRAME_HEAD_BYTES;
  }

  truncated(size) {
    this.#end = Math.min(this.#end, size);
  }
}

/** All other files: nothing waits. */
export const DIRECT = { isLasting: false, mayWait: () => false, truncated() {} };

/** The writes that wait, of one file of a disk at a time. */
export class WriteBehind {
  #stored = null;
  #bytes = null;
  #start = 0;
  #length = 0;
  /** What the browser was given, by length: it keeps an object for each array. */
  #given = new Map();

  /** Lets a write wait, after those that wait if it follows them. Returns false if it is too long. */
  add(stored, memory, start, length, offset) {
    if (length > MAX_BYTES) return false;
    if (!this.#isNext(stored, length, offset)) {
      this.end();
      this.#bytes ??= new Uint8Array(MAX_BYTES);
      this.#stored = stored;
      this.#start = offset;
    }
    this.#append(memory, start, length);
    return true;
  }

  /** Writes what waits together with this. Returns false if this does not follow it. */
  endWith(stored, memory, start, length, offset) {
    if (this.#length === 0 || !this.#isNext(stored, length, offset)) return false;
    const before = this.#length;
    this.#append(memory, start, length);
    try {
      this.end();
    } catch (error) {
      // SQLite knows that this write has failed, and relies on those before it.
      this.#length = Math.min(this.#length, before);
      throw error;
    }
    return true;
  }

  #isNext(stored, length, offset) {
    return this.#stored === stored && offset === this.#start + this.#length && this.#length + length <= MAX_BYTES;
  }

  #append(memory, start, length) {
    this.#bytes.set(memory.subarray(start, start + length), this.#length);
    this.#length += length;
  }

  /** Writes what waits. */
  end() {
    if (this.#length === 0) return;
    try {
      this.#stored.put(this.#waiting(), this.#start);
      this.#length = 0;
    } catch (error) {
      if (!this.#stored.writes.isLasting) this.#length = 0;
      throw error;
    }
  }

  #waiting() {
    const known = this.#given.get(this.#length);
    if (known) return known;
    if (this.#given.size === MAX_GIVEN) this.#given.clear();
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#given.set(this.#length, bytes);
    return bytes;
  }

  /** Writes what waits of a file that is about to be read. */
  endOf(stored) {
    if (this.#stored === stored) this.end();
  }
}
