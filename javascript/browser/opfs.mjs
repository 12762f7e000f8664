// The databases of an origin in its private file system, under their real names. All that SQLite can open was opened
// ahead: the database, its journal, its WAL, and one file for its super-journals. An empty file counts as none.

import { ERROR, FileError } from '../src/files/errors.js';
import { FLAG } from '../src/files/flags.js';
import { JOURNAL, nameAt } from '../src/files/names.js';
import { Stored, StoredFile } from './stored-file.mjs';
import { Budget, DEFAULT_TEMPORARY, TemporaryFile } from './temporary-file.mjs';
import { DIRECT, JournalWrites, WalWrites, WriteBehind } from './write-behind.mjs';

/** What is opened beside a database. SQLite chooses the names of super-journals, so theirs is kept in the file. */
const BESIDE = ['-journal', '-wal'];
/** Which writes of a file may wait. */
const WRITES = { '': () => DIRECT, '-journal': () => new JournalWrites(), '-wal': () => new WalWrites() };
const SUPER = '-super';
const SUPER_NAME = /^(.*)-mj[0-9A-F]{6}9[0-9A-F]{2}$/;

/** The beginning of a `-super` file: the length of the super-journal's name, and the name. */
const SUPER_HEAD_BYTES = 4096;

/** How long to wait for the files of a tab that was just closed. */
const PATIENCE = 10_000;
const PAUSE = 20;

/** Longest list of journals in a super-journal: SQLite attaches at most 125 databases. */
const MAX_SUPER_BYTES = 1 << 20;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The parts of a name; throws for one that OPFS cannot have, or that is a journal's. */
function partsOf(name) {
  const parts = name.split('/').filter(Boolean);
  const isValid = parts.length > 0 && parts.every((part) => part !== '.' && part !== '..' && !part.includes('\0'));
  if (!isValid || JOURNAL.test(name.slice(name.lastIndexOf('-'))) || name.endsWith(SUPER)) {
    throw new TypeError(`${JSON.stringify(name)} cannot be the name of a database`);
  }
  return parts;
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The directory of a file and its last name. */
async function directoryOf(parts, create) {
  let directory = await navigator.storage.getDirectory();
  for (const part of parts.slice(0, -1)) directory = await directory.getDirectoryHandle(part, { create });
  return { directory, last: parts.at(-1) };
}

/** Opens a handle, for which another tab may have to end first. */
async function accessHandle(file) {
  const end = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await file.createSyncAccessHandle();
    } catch (error) {
      if (error.name !== 'NoModificationAllowedError') throw error;
      if (performance.now() > end) throw new Error('another tab or program of this origin has the database open', { cause: error });
      await pause(PAUSE);
    }
  }
}

/** One database that was opened ahead. */
class Opened {
  files = new Map();

  constructor(path, parts) {
    this.path = path;
    this.parts = parts;
  }

  /** @param {WriteBehind} behind The writes of its disk that wait. */
  async open(behind) {
    const { directory, last } = await directoryOf(this.parts, true);
    for (const ending of ['', ...BESIDE, SUPER]) {
      const file = await directory.getFileHandle(last + ending, { create: true });
      this.files.set(ending, await accessHandle(file));
    }
    const head = this.files.get(SUPER);
    this.superHead = new Stored(head, behind);
    this.superJournal = new Stored(head, behind, { base: SUPER_HEAD_BYTES });
    this.superName = this.#readSuperName();
    const stored = (ending) => new Stored(this.files.get(ending), behind, { writes: WRITES[ending]() });
    this.stored = new Map(['', ...BESIDE].map((ending) => [this.path + ending, stored(ending)]));
  }

  #readSuperName() {
    if (this.superHead.size < SUPER_HEAD_BYTES) return null;
    const head = new Uint8Array(SUPER_HEAD_BYTES);
    this.superHead.read(head, 0, head.length, 0);
    const length = new DataView(head.buffer).getUint32(0, true);
    return length === 0 || length > SUPER_HEAD_BYTES - 4 ? null : decoder.decode(head.subarray(4, 4 + length));
  }

  /** The journals that the super-journal of a transaction lists which was not finished. */
  children() {
    if (!this.superName) return [];
    const bytes = new Uint8Array(Math.min(this.superJournal.size, MAX_SUPER_BYTES));
    this.superJournal.read(bytes, 0, bytes.length, 0);
    return decoder.decode(bytes).split('\0').filter(Boolean);
  }

  /** Names the super-journal. Its content follows, and is synced with it. */
  beginSuper(name) {
    const head = new Uint8Array(SUPER_HEAD_BYTES);
    const bytes = encoder.encode(name);
    if (bytes.length > SUPER_HEAD_BYTES - 4) throw new FileError(ERROR.INVALID);
    new DataView(head.buffer).setUint32(0, bytes.length, true);
    head.set(bytes, 4);
    this.superHead.write(head, 0, head.length, 0);
    this.superJournal.truncate(0);
    this.superName = name;
  }

  endSuper() {
    this.superHead.truncate(0);
    this.superHead.flush();
    this.superName = null;
  }

  /** Closes all files, and removes those that are empty. */
  async close() {
    const empty = [...this.files].filter(([, handle]) => handle.getSize() === 0).map(([ending]) => ending);
    for (const handle of this.files.values()) handle.close();
    const { directory, last } = await directoryOf(this.parts, false);
    for (const ending of empty) await directory.removeEntry(last + ending).catch(() => {});
  }
}

/** The files that one engine can open: replaces ../src/files/disk.js. */
export class OpfsDisk {
  #opened = new Map();
  #behind = new WriteBehind();
  /** The path of the last file that was not found because it was not opened ahead. */
  missing = null;

  constructor(temporaryBytes = DEFAULT_TEMPORARY) {
    this.budget = new Budget(temporaryBytes);
  }

  /** The absolute path of a name. */
  pathOf(name) {
    return `/${partsOf(name).join('/')}`;
  }

  /** Opens a database ahead, with those that share an unfinished transaction with it. */
  async openAhead(name) {
    const path = this.pathOf(name);
    if (this.#opened.has(path)) return;
    const opened = new Opened(path, partsOf(name));
    this.#opened.set(path, opened);
    try {
      await opened.open(this.#behind);
    } catch (error) {
      for (const handle of opened.files.values()) handle.close();
      this.#opened.delete(path);
      throw error;
    }
    for (const journal of opened.children()) {
      if (journal.endsWith(BESIDE[0])) await this.openAhead(journal.slice(0, -BESIDE[0].length));
    }
  }

  /** Whether a path is a file of a database that was opened ahead. */
  has(path) {
    return this.#find(path) !== null;
  }

  sizeOf(path) {
    return this.#find(path)?.stored?.size;
  }

  /** Closes everything. */
  async close() {
    const all = [...this.#opened.values()];
    this.#opened.clear();
    for (const opened of all) await opened.close();
  }

  /** The database, and the file of it, that a path names. */
  #find(path) {
    const ofSuper = SUPER_NAME.exec(path);
    const database = ofSuper ? ofSuper[1] : path.replace(/-(?:journal|wal)$/, '');
    const opened = this.#opened.get(path) ?? this.#opened.get(database);
    if (!opened) return null;
    if (ofSuper) return { opened, stored: opened.superName === path ? opened.superJournal : null, isSuper: true };
    const stored = opened.stored.get(path);
    return stored ? { opened, stored, isSuper: false } : null;
  }

  open(path, how) {
    const found = this.#find(path);
    if (!found) {
      this.missing = path;
      throw new FileError(ERROR.NOT_GRANTED);
    }
    const creates = (how & FLAG.CREATE) !== 0;
    let { stored } = found;
    if (found.isSuper && !stored) {
      if (!creates || found.opened.superName) throw new FileError(ERROR.NOT_FOUND);
      found.opened.beginSuper(path);
      stored = found.opened.superJournal;
    }
    if (!creates && stored.size === 0 && path !== found.opened.path) throw new FileError(ERROR.NOT_FOUND);
    if (how & FLAG.EXCLUSIVE && stored.size > 0) throw new FileError(ERROR.EXISTS);
    const closed = how & FLAG.DELETE_ON_CLOSE ? () => this.remove(path, false) : () => {};
    return { file: new StoredFile(stored, closed), isReadOnly: false };
  }

  temporary() {
    return new TemporaryFile(this.budget);
  }

  /** What is removed becomes empty: an entry of the directory cannot be removed in the middle of a call. */
  remove(path, syncs) {
    const found = this.#find(path);
    if (!found?.stored || (found.stored.size === 0 && !found.isSuper)) throw new FileError(ERROR.NOT_FOUND);
    if (found.isSuper) {
      found.opened.endSuper();
      return;
    }
    found.stored.truncate(0);
    if (syncs) found.stored.flush();
  }

  access(memory, pointer, length, isWriting) {
    const found = this.#find(nameAt(memory, pointer, length));
    if (!found?.stored) return false;
    return isWriting || found.stored.size > 0;
  }

  resolve(name) {
    const parts = [];
    for (const part of name.split('/')) {
      if (part === '..') parts.pop();
      else if (part !== '' && part !== '.') parts.push(part);
    }
    return { path: `/${parts.join('/')}`, hadLink: false };
  }

  /** No other program shares these files: the wal-index is in the engine's memory. */
  sharedMemory() {
    const refused = () => {
      throw new Error('files of browsers have no shared memory');
    };
    return new Proxy({}, { get: () => refused });
  }
}
