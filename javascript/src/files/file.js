'use strict';
// An open file, by the rules of the native unix VFS (`os_unix.c`, `unixOpen`, `findCreateFileMode`).

const fs = require('node:fs');
const path = require('node:path');

const { checked } = require('./checked.js');
const { ERROR, FileError, codeOf } = require('./errors.js');
const { FLAG, LEVEL, UnsharedLock } = require('./flags.js');
const { Lock } = require('./locks.js');
const { system } = require('./system.js');

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** `SQLITE_DEFAULT_FILE_PERMISSIONS`. */
const DEFAULT_BITS = 0o644;
const PRIVATE_BITS = 0o600;

/** The databases that this process has open without locks that others respect. */
const openAlone = new Set();

class File {
  shared = null;
  #alone = null;
  #syncsDirectory = false;

  constructor(descriptor, place, lock) {
    this.descriptor = descriptor;
    this.place = place;
    this.lock = lock;
  }

  /**
   * Opens a file. Where writing is refused and the file exists, it is opened for reading.
   * @param {import('./paths.js').Place} place
   * @param {'shared' | 'alone' | 'reading'} sharing Whether it has locks, and how it is used without.
   */
  static open(place, how, sharing) {
    const wantsWriting = (how & FLAG.READ_WRITE) !== 0;
    if (!wantsWriting) return { file: File.#at(place, O_RDONLY, how, sharing), isReadOnly: false };
    try {
      const file = File.#openWriting(place, how, sharing);
      if (how & FLAG.DELETE_ON_CLOSE) fs.unlinkSync(place.path);
      return { file, isReadOnly: false };
    } catch (error) {
      const code = codeOf(error);
      if (code === ERROR.IS_DIRECTORY || how & FLAG.EXCLUSIVE) throw error;
      try {
        return { file: File.#at(place, O_RDONLY, how, sharing), isReadOnly: true };
      } catch {
        throw error;
      }
    }
  }

  static #openWriting(place, how, sharing) {
    if (place.isReadOnly || sharing === 'reading') throw new FileError(ERROR.READ_ONLY);
    const created = how & (FLAG.CREATE | FLAG.EXCLUSIVE) ? O_CREAT : 0;
    const flags = O_RDWR | created | (how & FLAG.EXCLUSIVE ? O_EXCL : 0);
    const owner = how & FLAG.JOURNAL ? ownerOf(place.path) : null;
    const file = File.#at(place, flags, how, sharing, owner?.mode ?? DEFAULT_BITS);
    if (owner) file.#takeOwner(owner);
    file.#syncsDirectory = (how & FLAG.JOURNAL) !== 0 && created !== 0;
    return file;
  }

  static #at(place, flags, how, sharing, mode) {
    // Links were followed before. A pipe would wait for its other end.
    const descriptor = fs.openSync(place.path, flags | O_NOFOLLOW | O_NONBLOCK, mode);
    try {
      const status = fs.fstatSync(descriptor);
      if (status.isDirectory()) throw new FileError(ERROR.IS_DIRECTORY);
      if (!status.isFile()) throw new FileError(ERROR.ACCESS);
      const lock = sharing === 'shared' ? new Lock(descriptor) : new UnsharedLock();
      const file = new File(descriptor, place, lock);
      if (sharing === 'alone' && !(how & FLAG.JOURNAL)) file.#useAlone(status);
      return file;
    } catch (error) {
      fs.closeSync(descriptor);
      throw error;
    }
  }

  /** A file without a name. */
  static temporary() {
    const directory = require('node:os').tmpdir();
    const name = path.join(directory, `sqlite-sandbox-${require('node:crypto').randomUUID()}`);
    const descriptor = fs.openSync(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, PRIVATE_BITS);
    fs.unlinkSync(name);
    return new File(descriptor, null, new UnsharedLock());
  }

  /** Without locks only one connection of this process can use a database. */
  #useAlone({ dev, ino }) {
    const key = `${dev}:${ino}`;
    if (openAlone.has(key)) throw new FileError(ERROR.ACCESS);
    openAlone.add(key);
    this.#alone = key;
  }

  /** A journal that the owner of its database cannot read would lock the database. */
  #takeOwner({ mode, uid, gid }) {
    const status = fs.fstatSync(this.descriptor);
    if (status.size === 0 && (status.mode & 0o777) !== mode) fs.fchmodSync(this.descriptor, mode);
    if (process.geteuid() === 0 && (status.uid !== uid || status.gid !== gid)) {
      fs.fchownSync(this.descriptor, uid, gid);
    }
  }

  /** Fills memory from `offset` on. Returns how many bytes were read, less only at the end of the file. */
  read(memory, start, length, offset) {
    if (system) return checked(system.readAt(this.descriptor, memory, start, length, offset));
    let done = 0;
    while (done < length) {
      const count = fs.readSync(this.descriptor, memory, start + done, length - done, offset + done);
      if (count === 0) break;
      done += count;
    }
    return done;
  }

  write(memory, start, length, offset) {
    if (system) {
      checked(system.writeAt(this.descriptor, memory, start, length, offset));
      return;
    }
    let done = 0;
    while (done < length) {
      done += fs.writeSync(this.descriptor, memory, start + done, length - done, offset + done);
    }
  }

  size() {
    return system ? checked(system.sizeOf(this.descriptor)) : fs.fstatSync(this.descriptor).size;
  }

  truncate(size) {
    fs.ftruncateSync(this.descriptor, size);
  }

  reserve(size) {
    if (!system) throw new FileError(ERROR.UNSUPPORTED);
    checked(system.reserve(this.descriptor, size));
  }

  /** The first sync of a new journal includes its directory. */
  sync() {
    if (system) checked(system.syncData(this.descriptor));
    else fs.fdatasyncSync(this.descriptor);
    if (this.#syncsDirectory) syncDirectory(this.place.path);
    this.#syncsDirectory = false;
  }

  /** Raises the lock to `level`. Returns whether it is held. */
  raise(level) {
    // Another process can lose its POSIX locks by closing any descriptor of the file. It still has
    // the shared memory open then, so that counts as a lock too.
    const isTaken = level === LEVEL.EXCLUSIVE && this.lock.level !== level && this.shared?.isShared();
    return !isTaken && this.lock.raise(level);
  }

  hasMoved() {
    if (!this.place) return false;
    const there = fs.lstatSync(this.place.path, { throwIfNoEntry: false });
    const here = fs.fstatSync(this.descriptor);
    return !there || there.dev !== here.dev || there.ino !== here.ino;
  }

  /** Whether the file can have shared memory. */
  canShare() {
    return this.lock instanceof Lock && this.place !== null && system.canShare(this.descriptor) === 1;
  }

  close(memory) {
    if (this.#alone) openAlone.delete(this.#alone);
    try {
      this.shared?.close(memory);
    } finally {
      fs.closeSync(this.descriptor);
    }
  }
}

/** Permissions and owner of the database of a journal. */
function ownerOf(journal) {
  const database = journal.slice(0, journal.lastIndexOf('-'));
  const status = fs.lstatSync(database, { throwIfNoEntry: false });
  if (!status || status.isSymbolicLink()) return null;
  return { mode: status.mode & 0o777, uid: status.uid, gid: status.gid };
}

/** As in os_unix.c, a directory that cannot be opened is left to the system. */
function syncDirectory(file) {
  let descriptor;
  try {
    descriptor = fs.openSync(path.dirname(file), O_RDONLY);
  } catch {
    return;
  }
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

module.exports = { File, syncDirectory };
