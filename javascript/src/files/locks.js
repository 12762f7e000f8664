'use strict';
// SQLite's locking protocol on the bytes of a file, as the native unix VFS has it (`os_unix.c`,
// `unixLock`). The locks belong to the open file description: closing another descriptor of the file
// does not release them, and two connections of one process exclude each other.

const { checked } = require('./checked.js');
const { LEVEL } = require('./flags.js');
const { system } = require('./system.js');

/** The values of Linux, on all its processors. */
const KIND = Object.freeze({ READ: 0, WRITE: 1, NONE: 2 });

/** SQLite's `PENDING_BYTE`: 1 GiB, where no page has content. */
const PENDING_BYTE = 0x40000000;
const RESERVED_BYTE = PENDING_BYTE + 1;
const SHARED_FIRST = PENDING_BYTE + 2;
const SHARED_SIZE = 510;

/** Sets a lock on a range. False if another connection has one that conflicts. */
const set = (descriptor, kind, start, length) =>
  checked(system.setLock(descriptor, kind, start, length)) === 1;

/** The kind of a lock of another connection that conflicts with one of `kind`. */
const find = (descriptor, kind, start, length) =>
  checked(system.findLock(descriptor, kind, start, length));

/** The lock that one open file has. */
class Lock {
  constructor(descriptor) {
    this.descriptor = descriptor;
    this.level = LEVEL.NONE;
  }

  /** Raises the lock. Returns whether it is held. */
  raise(wanted) {
    if (this.level >= wanted) return true;
    const isHeld = this.#take(wanted);
    if (isHeld) this.level = wanted;
    return isHeld;
  }

  #take(wanted) {
    switch (wanted) {
      case LEVEL.SHARED:
        return this.#share();
      case LEVEL.RESERVED:
        return set(this.descriptor, KIND.WRITE, RESERVED_BYTE, 1);
      case LEVEL.PENDING:
        return set(this.descriptor, KIND.WRITE, PENDING_BYTE, 1);
      default:
        return this.#exclude();
    }
  }

  /** PENDING is held meanwhile, so that readers cannot starve a writer. */
  #share() {
    if (!set(this.descriptor, KIND.READ, PENDING_BYTE, 1)) return false;
    const isHeld = set(this.descriptor, KIND.READ, SHARED_FIRST, SHARED_SIZE);
    set(this.descriptor, KIND.NONE, PENDING_BYTE, 1);
    return isHeld;
  }

  /** The recovery of a reader goes from SHARED to EXCLUSIVE; a writer takes PENDING and keeps it. */
  #exclude() {
    if (this.level === LEVEL.RESERVED) {
      if (!set(this.descriptor, KIND.WRITE, PENDING_BYTE, 1)) return false;
      this.level = LEVEL.PENDING;
    }
    return set(this.descriptor, KIND.WRITE, SHARED_FIRST, SHARED_SIZE);
  }

  /** Lowers the lock to SHARED or NONE. */
  lower(wanted) {
    if (this.level <= wanted) return;
    if (this.level > LEVEL.SHARED) {
      if (wanted === LEVEL.SHARED) set(this.descriptor, KIND.READ, SHARED_FIRST, SHARED_SIZE);
      // PENDING and RESERVED, which are neighbours.
      set(this.descriptor, KIND.NONE, PENDING_BYTE, 2);
    }
    // Length 0 is the whole file.
    if (wanted === LEVEL.NONE) set(this.descriptor, KIND.NONE, 0, 0);
    this.level = wanted;
  }

  /** Whether any connection has RESERVED or more. */
  isReserved() {
    if (this.level > LEVEL.SHARED) return true;
    return find(this.descriptor, KIND.WRITE, RESERVED_BYTE, 1) !== KIND.NONE;
  }
}

module.exports = { KIND, Lock, find, set };
