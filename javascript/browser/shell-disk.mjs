// The files of the shell: databases in OPFS, and all others in memory, such as those of `.read`, `.import` and `.output`.

import { ERROR, FileError } from '../src/files/errors.js';
import { FLAG } from '../src/files/flags.js';
import { nameAt } from '../src/files/names.js';
import { OpfsDisk } from './opfs.mjs';
import { TemporaryFile } from './temporary-file.mjs';

/** A file in memory that is still there when it was closed. */
class NamedFile extends TemporaryFile {
  close() {}

  remove() {
    super.close();
  }
}

/** Most files in memory. */
const MAX_NAMED = 10_000;

export class ShellDisk extends OpfsDisk {
  #named = new Map();

  /** @param {boolean} isPersistent New databases are in OPFS; otherwise they are in memory too. */
  constructor(isPersistent) {
    super();
    this.isPersistent = isPersistent;
  }

  /** A file in memory with some content. */
  put(path, bytes) {
    const file = this.#create(path);
    file.truncate(0);
    file.write(bytes, 0, bytes.length, 0);
  }

  #create(path) {
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
    return { file, isReadOnly: false };
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
    if (path === '/') return !isWriting;
    const known = this.#named.get(path);
    return known !== undefined && (isWriting || known.size() > 0);
  }

  /** The size of a file, or -1 for a directory. */
  sizeOf(path) {
    if (path === '/') return -1;
    const size = this.#named.get(path)?.size() ?? super.sizeOf(path);
    if (size === undefined) throw new FileError(ERROR.NOT_FOUND);
    return size;
  }
}
