// SQLite's locks between the connections that have one file open in this worker: nobody else can open it.

import { LEVEL } from '../src/files/flags.js';

/** The lock of one open file; `holders` are those of the others too. */
export class LocalLock {
  level = LEVEL.NONE;

  /** @param {Set<LocalLock>} holders Of the same file. */
  constructor(holders) {
    this.holders = holders;
    holders.add(this);
  }

  #hasOther(level) {
    return [...this.holders].some((other) => other !== this && other.level >= level);
  }

  /** Raises the lock. Returns whether it is held; a writer that waits for readers keeps PENDING. */
  raise(wanted) {
    if (this.level >= wanted) return true;
    if (wanted === LEVEL.SHARED) return this.#take(wanted, !this.#hasOther(LEVEL.PENDING));
    if (this.#hasOther(LEVEL.RESERVED)) return false;
    if (wanted < LEVEL.EXCLUSIVE) return this.#take(wanted, true);
    if (this.level === LEVEL.RESERVED) this.level = LEVEL.PENDING;
    return this.#take(wanted, !this.#hasOther(LEVEL.SHARED));
  }

  #take(level, isFree) {
    if (isFree) this.level = level;
    return isFree;
  }

  lower(wanted) {
    this.level = Math.min(this.level, wanted);
  }

  isReserved() {
    return this.level >= LEVEL.RESERVED || this.#hasOther(LEVEL.RESERVED);
  }

  end() {
    this.holders.delete(this);
  }
}
