'use strict';
// `wasi:filesystem` for extensions that are granted directories: reading files below them. The paths are
// resolved by the rules of databases (files/paths.js); nothing can be written.

const fs = require('node:fs');
const path = require('node:path');

const { FileError, ERROR } = require('../files/errors.js');
const { MAX_PATH_BYTES, Paths } = require('../files/paths.js');

/** `error-code` of wasi:filesystem. */
const CODE = Object.freeze({ ACCESS: 0, BAD_DESCRIPTOR: 3, INVALID: 12, IO: 13, LOOP: 15, NO_ENTRY: 20, READ_ONLY: 33 });
const BY_NAME = { EACCES: CODE.ACCESS, EPERM: CODE.ACCESS, ENOENT: CODE.NO_ENTRY, ENOTDIR: CODE.NO_ENTRY, ELOOP: CODE.LOOP };

/** `descriptor-type`. */
const TYPE = Object.freeze({ DIRECTORY: 3, REGULAR: 6 });

/** The flag `read` of descriptors, and `symlink-follow` of paths. */
const READ = 1;
const FOLLOW = 1;

/** Bits of `open-flags` that change something: create and truncate. */
const CHANGES = 1 | 8;

const MAX_DESCRIPTORS = 64;
const MAX_READ_BYTES = 1 << 20;

/** The handles of streams begin behind those of standard streams. */
const FIRST_STREAM = 16;

class WasiFiles {
  memory = null;
  #paths = new Paths();
  #preopened;
  #descriptors = new Map();
  #streams = new Map();
  #next = FIRST_STREAM;

  /** @param {string[]} directories */
  constructor(directories) {
    for (const directory of directories) this.#paths.grantDirectory(directory, true);
    this.#preopened = directories.map((directory) => fs.realpathSync.native(directory));
  }

  #add(table, value) {
    if (table.size >= MAX_DESCRIPTORS) throw new FileError(ERROR.TOO_MANY_FILES);
    table.set(this.#next, value);
    return this.#next++;
  }

  #descriptor(handle) {
    const descriptor = this.#descriptors.get(handle >>> 0);
    if (!descriptor) throw new Error('a descriptor that is not open');
    return descriptor;
  }

  /** Stores a result: what `operation` stores behind `payload`, or the code of its failure there. */
  #store(result, payload, operation) {
    let code = -1;
    try {
      operation(result + payload);
    } catch (error) {
      if (!(error instanceof FileError) && typeof error?.syscall !== 'string') throw error;
      code = BY_NAME[error.code] ?? (error.fileCode === ERROR.NOT_GRANTED ? CODE.ACCESS : CODE.IO);
      if (error.fileCode === ERROR.READ_ONLY) code = CODE.READ_ONLY;
    }
    this.memory.u8[result] = code < 0 ? 0 : 1;
    if (code >= 0) this.memory.u8[result + payload] = code;
  }

  /** The real path of a name in an open directory. */
  #pathAt(handle, flags, pointer, length) {
    const { file } = this.#descriptor(handle);
    if (length >>> 0 > MAX_PATH_BYTES) throw new FileError(ERROR.INVALID);
    const name = this.memory.bytes(pointer, length).toString('utf8');
    if (name.startsWith('/') || name.includes('\0')) throw new FileError(ERROR.NOT_GRANTED);
    return this.#paths.place(path.join(file, name), (flags & FOLLOW) !== 0).path;
  }

  #open(handle, pathFlags, pointer, length, openFlags, at) {
    if (openFlags & CHANGES) throw new FileError(ERROR.READ_ONLY);
    const file = this.#pathAt(handle, pathFlags, pointer, length);
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    const opened = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const status = fs.fstatSync(opened);
    if (!status.isFile() && !status.isDirectory()) {
      fs.closeSync(opened);
      throw new FileError(ERROR.ACCESS);
    }
    this.memory.view.setUint32(at, this.#add(this.#descriptors, { file, opened }), true);
  }

  #storeStatus(at, status) {
    const { u8, view } = this.memory;
    u8.fill(0, at, at + 96);
    u8[at] = status.isDirectory() ? TYPE.DIRECTORY : TYPE.REGULAR;
    view.setBigUint64(at + 8, BigInt(status.nlink), true);
    view.setBigUint64(at + 16, BigInt(status.size), true);
  }

  #storeHash(at, { dev, ino }) {
    this.memory.view.setBigUint64(at, BigInt(dev), true);
    this.memory.view.setBigUint64(at + 8, BigInt(ino), true);
  }

  /** Reads the next bytes of a stream. Its end is the case `closed` of `stream-error`. */
  #read(handle, length, result) {
    const stream = this.#streams.get(handle >>> 0);
    const wanted = Math.min(Number(BigInt.asUintN(64, length)), MAX_READ_BYTES);
    const bytes = Buffer.alloc(stream ? wanted : 0);
    const count = stream ? fs.readSync(stream.opened, bytes, 0, wanted, stream.offset) : 0;
    if (count === 0 && wanted > 0) {
      this.memory.u8[result] = 1;
      this.memory.u8[result + 4] = 1;
      return;
    }
    stream.offset += count;
    const start = this.memory.store(bytes.subarray(0, count));
    this.memory.u8[result] = 0;
    this.memory.view.setUint32(result + 4, start, true);
    this.memory.view.setUint32(result + 8, count, true);
  }

  #preopens(result) {
    const entries = this.#preopened.map((file) => {
      const name = Buffer.from(file);
      return [this.#add(this.#descriptors, { file, opened: -1 }), this.memory.store(name), name.length];
    });
    const start = this.memory.allocate(12 * entries.length, 4);
    entries.flat().forEach((word, index) => this.memory.view.setUint32(start + 4 * index, word, true));
    this.memory.view.setUint32(result, start, true);
    this.memory.view.setUint32(result + 4, entries.length, true);
  }

  #status(handle) {
    const { file, opened } = this.#descriptor(handle);
    return opened < 0 ? fs.statSync(file) : fs.fstatSync(opened);
  }

  #close(handle) {
    const descriptor = this.#descriptors.get(handle >>> 0);
    this.#descriptors.delete(handle >>> 0);
    if (descriptor && descriptor.opened >= 0) fs.closeSync(descriptor.opened);
  }

  /** The instance has ended. */
  closeAll() {
    for (const handle of [...this.#descriptors.keys()]) this.#close(handle);
  }

  /** The functions, by interface and name. */
  known() {
    const refused = (_handle, _offset, result) =>
      this.#store(result, 4, () => {
        throw new FileError(ERROR.READ_ONLY);
      });
    return {
      'wasi:filesystem/preopens': { 'get-directories': (result) => this.#preopens(result) },
      'wasi:filesystem/types': {
        '[resource-drop]descriptor': (handle) => this.#close(handle),
        '[method]descriptor.open-at': (handle, pathFlags, pointer, length, openFlags, _flags, result) =>
          this.#store(result, 4, (at) => this.#open(handle, pathFlags, pointer, length, openFlags, at)),
        '[method]descriptor.stat': (handle, result) =>
          this.#store(result, 8, (at) => this.#storeStatus(at, this.#status(handle))),
        '[method]descriptor.stat-at': (handle, flags, pointer, length, result) =>
          this.#store(result, 8, (at) => this.#storeStatus(at, fs.lstatSync(this.#pathAt(handle, flags, pointer, length)))),
        '[method]descriptor.get-flags': (handle, result) =>
          this.#store(result, 1, (at) => {
            this.#descriptor(handle);
            this.memory.u8[at] = READ;
          }),
        '[method]descriptor.metadata-hash': (handle, result) =>
          this.#store(result, 8, (at) => this.#storeHash(at, this.#status(handle))),
        '[method]descriptor.metadata-hash-at': (handle, flags, pointer, length, result) =>
          this.#store(result, 8, (at) => this.#storeHash(at, fs.lstatSync(this.#pathAt(handle, flags, pointer, length)))),
        '[method]descriptor.read-via-stream': (handle, offset, result) =>
          this.#store(result, 4, (at) => {
            const stream = { opened: this.#descriptor(handle).opened, offset: Number(offset) };
            this.memory.view.setUint32(at, this.#add(this.#streams, stream), true);
          }),
        '[method]descriptor.write-via-stream': refused,
        '[method]descriptor.append-via-stream': (handle, result) => refused(handle, 0n, result),
      },
      'wasi:io/streams': {
        '[resource-drop]input-stream': (handle) => this.#streams.delete(handle >>> 0),
        '[method]input-stream.read': (handle, length, result) => this.#read(handle, length, result),
        '[method]input-stream.blocking-read': (handle, length, result) => this.#read(handle, length, result),
        '[method]input-stream.subscribe': () => 0,
      },
    };
  }
}

module.exports = { WasiFiles };
