'use strict';
// The shared memory of a database in WAL mode: the file `-shm` next to it, with the lock bytes and
// the rules of the native unix VFS (`os_unix.c`, `unixOpenSharedMemory`, `unixShmMap`).
//
// The file is mapped over the engine's memory. That is sound because V8 reserves the addresses of a
// memory and does not move it when it grows; should it move one, `checkAddress` ends the engine before
// any lock is taken or released, which for other programs is a program that was killed.

const fs = require('node:fs');

const { checked } = require('./checked.js');
const { ERROR, FileError } = require('./errors.js');
const { KIND, find, set } = require('./locks.js');
const { system } = require('./system.js');

/** `shm-state` of wit/host/shared-memory.wit. */
const STATE = Object.freeze({ WRITABLE: 0, READ_ONLY: 1, UNATTENDED: 2, BUSY: 3 });

/** SQLite's `UNIX_SHM_BASE`: the first byte for locks, behind the header of the wal-index. */
const LOCKS_START = 120;
const LOCK_COUNT = 8;
/** The locks of readers. */
const FIRST_READER = 3;
const READER_COUNT = 5;
/** SQLite's `UNIX_SHM_DMS`: every connection that has the file open holds it. */
const ATTENDED = LOCKS_START + LOCK_COUNT;

/** The size to which the first connection truncates the file. */
const CUT_BYTES = 3;
/** A byte is written for each of these, so that a full disk is found when the file grows. */
const STEP_BYTES = 4096;
/** Longest wal-index: for a WAL of half a terabyte. The engine chooses the size. */
const MAX_BYTES = 1 << 30;
/** What addresses, lengths and offsets are multiples of. */
const UNIT_BYTES = 64 << 10;
/** Most mappings of one file: the longest wal-index in units. */
const MAX_MAPPINGS = MAX_BYTES / UNIT_BYTES;

const ONE_BYTE = new Uint8Array(1);

/** The kinds of `shm-lock-kind`, in their order. */
const LOCK_KINDS = [KIND.NONE, KIND.READ, KIND.WRITE];

/** One connection's view of the shared memory. */
class SharedMemory {
  #descriptor;
  #isAttended = false;
  #mappings = [];
  #address = 0;
  #generation = 0;

  constructor(descriptor, isReadOnly) {
    this.#descriptor = descriptor;
    this.isReadOnly = isReadOnly;
  }

  /**
   * Holds the dead man's switch. The first connection to do so empties the file: it may be from
   * before a crash of the machine. One that can only read must leave it, and cannot trust it then.
   * @returns {number} The state.
   */
  attend() {
    if (!this.#isAttended && !this.#tryAttend()) return STATE.BUSY;
    if (!this.isReadOnly) return STATE.WRITABLE;
    return this.#isAttended ? STATE.READ_ONLY : STATE.UNATTENDED;
  }

  #tryAttend() {
    const found = find(this.#descriptor, KIND.WRITE, ATTENDED, 1);
    if (found === KIND.WRITE) return false;
    if (found === KIND.NONE) {
      if (this.isReadOnly) return true;
      if (!set(this.#descriptor, KIND.WRITE, ATTENDED, 1)) return false;
      fs.ftruncateSync(this.#descriptor, CUT_BYTES);
    }
    this.#isAttended = set(this.#descriptor, KIND.READ, ATTENDED, 1);
    return this.#isAttended;
  }

  /** Whether the file has `bytes` bytes; with `extend` it grows to them. */
  reach(bytes, extend) {
    const size = checked(system.sizeOf(this.#descriptor));
    if (size >= bytes || !extend) return size >= bytes;
    if (bytes > MAX_BYTES) throw new FileError(ERROR.TOO_LARGE);
    for (let step = Math.floor(size / STEP_BYTES); step < Math.ceil(bytes / STEP_BYTES); step++) {
      fs.writeSync(this.#descriptor, ONE_BYTE, 0, 1, step * STEP_BYTES + STEP_BYTES - 1);
    }
    return true;
  }

  /** Maps the file from `offset` on over `memory`. */
  map(offset, memory, start, length) {
    const isAligned = [offset, start, length].every((number) => number % UNIT_BYTES === 0);
    const isFree = this.#mappings.every((old) => old.start + old.length <= start || start + length <= old.start);
    if (!isAligned || !isFree || this.#mappings.length >= MAX_MAPPINGS) throw new FileError(ERROR.INVALID);
    this.checkAddress(memory);
    this.#address = system.address(memory.u8);
    this.#generation = memory.generation;
    const writes = this.isReadOnly ? 0 : 1;
    checked(system.map(this.#descriptor, memory.u8, start, length, offset, writes));
    this.#mappings.push({ start, length });
  }

  /** Ends the engine if its memory has grown and is not where the file was mapped. */
  checkAddress(memory) {
    const { u8, generation } = memory;
    if (this.#mappings.length === 0 || generation === this.#generation) return;
    if (system.address(u8) !== this.#address) {
      throw new Error('the memory of the engine was moved, and has lost the shared memory of its WAL');
    }
    this.#generation = generation;
  }

  /** Takes or releases `count` locks, beginning with the one at index `first`. */
  lock(memory, first, count, how) {
    this.checkAddress(memory);
    const isInRange = first < LOCK_COUNT && count >= 1 && count <= LOCK_COUNT - first;
    const kind = LOCK_KINDS[how];
    if (!isInRange || kind === undefined || (kind === KIND.READ && count !== 1)) {
      throw new FileError(ERROR.INVALID);
    }
    try {
      return set(this.#descriptor, kind, LOCKS_START + first, count);
    } catch (error) {
      // As in os_unix.c, a lock that cannot be taken counts as one of another connection.
      if (error instanceof FileError) return false;
      throw error;
    }
  }

  /** Whether another connection reads from the WAL. */
  hasReader() {
    return find(this.#descriptor, KIND.WRITE, LOCKS_START + FIRST_READER, READER_COUNT) !== KIND.NONE;
  }

  /** Whether another connection has it open. */
  isShared() {
    return find(this.#descriptor, KIND.WRITE, ATTENDED, 1) !== KIND.NONE;
  }

  /**
   * Ends it; the memory that it was mapped over becomes ordinary memory. A mapping keeps the locks of
   * its file, so those of an engine that has ended are removed too.
   */
  close(memory) {
    const isThere = this.#mappings.length > 0 && system.address(memory.u8) === this.#address;
    const mappings = isThere ? this.#mappings : [];
    this.#mappings = [];
    try {
      for (const { start, length } of mappings) checked(system.unmap(memory.u8, start, length));
    } finally {
      fs.closeSync(this.#descriptor);
    }
  }
}

module.exports = { SharedMemory, STATE };
