// The files of the shell: databases in OPFS, and all others in memory, such as those of `.read`, `.import` and `.output`.

import { ERROR, FileError } from '../src/files/errors.js';
import { FLAG } from '../src/files/flags.js';
import { nameAt } from '../src/files/names.js';
import { LocalLock } from './local-lock.mjs';
import { OpfsDisk } from './opfs.mjs';
import { TemporaryFile } from './temporary-file.mjs';

/** A file in memory that is still there when it was closed. */
class NamedFile extends TemporaryFile {
  locks = new Set();

  close() {}

  remove() {
    super.close();
  }
}

/** What one connection has open of it. */
function opened(file) {
  const lock = new LocalLock(file.locks);
  return Object.assign(Object.create(file), {
    shared: null,
    lock,
    raise: (level) => lock.raise(level),
    close: () => lock.end(),
    read: (...args) => file.read(...args),
    write: (...args) => file.write(...args),
    truncate: (size) => file.truncate(size),
    size: () => file.size(),
  });
}

/** Most files in memory. */
const MAX_NAMED = 10_000;

export class ShellDisk extends OpfsDisk {
  #named = new Map();

  /**
   * @param {boolean} isPersistent New databases are in OPFS; otherwise they are in memory too.
   * @param {string} directory The only one.
   */
  constructor(isPersistent, directory) {
    super();
    this.directory = directory;
    this.isPersistent = isPersistent;
  }

  /** A file in memory with some content. */
  put(path, bytes) {
    const file = this.#create(path);
    file.truncate(0);
    file.write(bytes, 0, bytes.length, 0);
  }

  /** The files in memory with their content. */
  contents() {
    return Object.fromEntries([...this.#named].map(([path, file]) => {
      const bytes = new Uint8Array(file.size());
      file.read(bytes, 0, bytes.length, 0);
      return [path, bytes];
    }));
  }

  #create(path) {
    if (path.slice(0, Math.max(1, path.lastIndexOf('/'))) !== this.directory) throw new FileError(ERROR.NOT_FOUND);
    if (this.#named.size >= MAX_NAMED) throw new FileError(ERROR.TOO_MANY_FILES);
    const known = this.#named.get(path) ?? new NamedFile(this.budget);
    this.#named.set(path, known);
    return known;
  }

  /** Whether a file is a database that is to be opened ahead. */
  isAwaited(path, how) {
    const never = FLAG.JOURNAL | FLAG.REWRITE | FLAG.EXCLUSIVE | FLAG.DELETE_ON_CLOSE;
    const isDatabase = (how & FLAG.READ_WRITE) !== 0 && (how & FLAG.CREATE) !== 0 && (how & never) === 0;
    return this.isPersistent && isDatabase && !this.has(path) && !this.#named.has(path);
  }

  open(path, how) {
    if (this.has(path)) return super.open(path, how);
    const known = this.#named.get(path);
    if (!known && (how & (FLAG.CREATE | FLAG.REWRITE)) === 0) throw new FileError(ERROR.NOT_FOUND);
    if (known && how & FLAG.EXCLUSIVE) throw new FileError(ERROR.EXISTS);
    const file = known ?? this.#create(path);
    if (how & FLAG.REWRITE) file.truncate(0);
    return { file: opened(file), isReadOnly: false };
  }

  remove(path, syncs) {
    if (this.has(path)) {
      super.remove(path, syncs);
      return;
    }
    const known = this.#named.get(path);
    if (!known) throw new FileError(ERROR.NOT_FOUND);
    known.remove();
    this.#named.delete(path);
  }

  access(memory, pointer, length, isWriting) {
    const path = nameAt(memory, pointer, length);
    if (this.has(path)) return super.access(memory, pointer, length, isWriting);
    if (path === this.directory) return !isWriting;
    const known = this.#named.get(path);
    return known !== undefined && (isWriting || known.size() > 0);
  }

  /** The size of a file, or -1 for a directory. */
  sizeOf(path) {
    if (path === this.directory) return -1;
    const size = this.#named.get(path)?.size() ?? super.sizeOf(path);
    if (size === undefined) throw new FileError(ERROR.NOT_FOUND);
    return size;
  }
}
