'use strict';
// Values of wit/host/files.wit.

/** `open-flags`. */
const FLAG = Object.freeze({
  READ_WRITE: 1,
  CREATE: 2,
  EXCLUSIVE: 4,
  DELETE_ON_CLOSE: 8,
  NO_FOLLOW: 16,
  JOURNAL: 32,
  REWRITE: 64,
});

/** `lock-level`. */
const LEVEL = Object.freeze({ NONE: 0, SHARED: 1, RESERVED: 2, PENDING: 3, EXCLUSIVE: 4 });

/** The lock of a file that no other program uses: only its level is kept. */
class UnsharedLock {
  level = LEVEL.NONE;

  raise(wanted) {
    this.level = Math.max(this.level, wanted);
    return true;
  }

  lower(wanted) {
    this.level = Math.min(this.level, wanted);
  }

  isReserved() {
    return this.level > LEVEL.SHARED;
  }
}

module.exports = { FLAG, LEVEL, UnsharedLock };
