'use strict';
// `wasi:filesystem` for extensions that are granted directories: the files below them, to read or also to write.
// The paths are resolved by the rules of databases (files/paths.js).

const fs = require('node:fs');
const path = require('node:path');

const { FileError, ERROR } = require('../files/errors.js');
const { MAX_PATH_BYTES } = require('../files/names.js');
const { Paths } = require('../files/paths.js');

/** `error-code` of wasi:filesystem. */
const CODE = Object.freeze({ ACCESS: 0, IO: 13, READ_ONLY: 33 });
const BY_NAME = { EACCES: 0, EPERM: 0, EDQUOT: 6, EEXIST: 7, EFBIG: 8, EINVAL: 12, EISDIR: 14, ELOOP: 15, ENOENT: 20, ENOSPC: 23, ENOTDIR: 24, ENOTEMPTY: 25 };

/** `descriptor-type`. */
const TYPE = Object.freeze({ DIRECTORY: 3, REGULAR: 6 });

/** The flags of descriptors, and `symlink-follow` of paths. */
const READ = 1;
const WRITE = 2;
const FOLLOW = 1;

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** `open-flags` that change something: create, exclusive and truncate. */
const CREATE = 1;
const CHANGES = new Map([[CREATE, O_CREAT], [4, O_EXCL], [8, O_TRUNC]]);

const NEW_FILE_BITS = 0o644;

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

  /** @param {{ path: string, isReadOnly: boolean }[]} directories */
  constructor(directories) {
    for (const { path: directory, isReadOnly } of directories) this.#paths.grantDirectory(directory, isReadOnly);
    this.#preopened = directories.map(({ path: directory }) => fs.realpathSync.native(directory));
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

  /** The real path of a name in an open directory, which must be writable for a change. */
  #pathAt(handle, flags, pointer, length, isChange = false) {
    const { file } = this.#descriptor(handle);
    if (length >>> 0 > MAX_PATH_BYTES) throw new FileError(ERROR.INVALID);
    const name = this.memory.bytes(pointer, length).toString('utf8');
    if (name.startsWith('/') || name.includes('\0')) throw new FileError(ERROR.NOT_GRANTED);
    const place = this.#paths.place(path.join(file, name), (flags & FOLLOW) !== 0);
    if (isChange && place.isReadOnly) throw new FileError(ERROR.READ_ONLY);
    return place.path;
  }

  #open(handle, pathFlags, pointer, length, openFlags, flags, at) {
    let how = O_RDONLY;
    for (const [bit, change] of CHANGES) if (openFlags & bit) how |= change;
    const isWritable = how !== O_RDONLY || (flags & WRITE) !== 0;
    const file = this.#pathAt(handle, pathFlags, pointer, length, isWritable);
    // A pipe would wait for its other end; a link was followed before.
    const opened = fs.openSync(file, how | (isWritable ? O_RDWR : 0) | O_NOFOLLOW | O_NONBLOCK, NEW_FILE_BITS);
    const status = fs.fstatSync(opened);
    if (!status.isFile() && !status.isDirectory()) {
      fs.closeSync(opened);
      throw new FileError(ERROR.ACCESS);
    }
    this.memory.view.setUint32(at, this.#add(this.#descriptors, { file, opened, isWritable }), true);
  }

  /** A descriptor that is open for writing. */
  #writable(handle) {
    const descriptor = this.#descriptor(handle);
    if (!descriptor.isWritable) throw new FileError(ERROR.READ_ONLY);
    return descriptor;
  }

  /** A stream that reads or writes from `offset` on. */
  #stream(at, { opened }, offset) {
    this.memory.view.setUint32(at, this.#add(this.#streams, { opened, offset }), true);
  }

  /** Writes to a stream. A failure is the case `closed` of `stream-error`. */
  write(handle, pointer, length, result) {
    const stream = this.#streams.get(handle >>> 0);
    const bytes = this.memory.bytes(pointer, length);
    let done = 0;
    try {
      while (stream && done < bytes.length) done += fs.writeSync(stream.opened, bytes, done, bytes.length - done, stream.offset + done);
    } catch (error) {
      if (typeof error?.syscall !== 'string') throw error;
    }
    if (stream) stream.offset += done;
    const isWhole = stream && done === bytes.length;
    this.memory.u8[result] = isWhole ? 0 : 1;
    if (!isWhole) this.memory.u8[result + 4] = 1;
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
    /** A change of a name in a directory. */
    const changing = (change) => (handle, pointer, length, result) =>
      this.#store(result, 1, () => change(this.#pathAt(handle, 0, pointer, length, true)));
    return {
      'wasi:filesystem/preopens': { 'get-directories': (result) => this.#preopens(result) },
      'wasi:filesystem/types': {
        '[resource-drop]descriptor': (handle) => this.#close(handle),
        '[method]descriptor.open-at': (handle, pathFlags, pointer, length, openFlags, flags, result) =>
          this.#store(result, 4, (at) => this.#open(handle, pathFlags, pointer, length, openFlags, flags, at)),
        '[method]descriptor.unlink-file-at': changing(fs.unlinkSync),
        '[method]descriptor.create-directory-at': changing(fs.mkdirSync),
        '[method]descriptor.remove-directory-at': changing(fs.rmdirSync),
        '[method]descriptor.rename-at': (handle, pointer, length, other, newPointer, newLength, result) =>
          this.#store(result, 1, () =>
            fs.renameSync(this.#pathAt(handle, 0, pointer, length, true), this.#pathAt(other, 0, newPointer, newLength, true)),
          ),
        '[method]descriptor.set-size': (handle, size, result) =>
          this.#store(result, 1, () => fs.ftruncateSync(this.#writable(handle).opened, Number(size))),
        '[method]descriptor.stat': (handle, result) =>
          this.#store(result, 8, (at) => this.#storeStatus(at, this.#status(handle))),
        '[method]descriptor.stat-at': (handle, flags, pointer, length, result) =>
          this.#store(result, 8, (at) => this.#storeStatus(at, fs.lstatSync(this.#pathAt(handle, flags, pointer, length)))),
        '[method]descriptor.get-flags': (handle, result) =>
          this.#store(result, 1, (at) => {
            this.memory.u8[at] = this.#descriptor(handle).isWritable ? READ | WRITE : READ;
          }),
        '[method]descriptor.metadata-hash': (handle, result) =>
          this.#store(result, 8, (at) => this.#storeHash(at, this.#status(handle))),
        '[method]descriptor.metadata-hash-at': (handle, flags, pointer, length, result) =>
          this.#store(result, 8, (at) => this.#storeHash(at, fs.lstatSync(this.#pathAt(handle, flags, pointer, length)))),
        '[method]descriptor.read-via-stream': (handle, offset, result) =>
          this.#store(result, 4, (at) => this.#stream(at, this.#descriptor(handle), Number(offset))),
        '[method]descriptor.write-via-stream': (handle, offset, result) =>
          this.#store(result, 4, (at) => this.#stream(at, this.#writable(handle), Number(offset))),
        '[method]descriptor.append-via-stream': (handle, result) =>
          this.#store(result, 4, (at) => {
            const descriptor = this.#writable(handle);
            this.#stream(at, descriptor, fs.fstatSync(descriptor.opened).size);
          }),
      },
      'wasi:io/streams': {
        '[resource-drop]input-stream': (handle) => this.#streams.delete(handle >>> 0),
        '[resource-drop]output-stream': (handle) => this.#streams.delete(handle >>> 0),
        '[method]input-stream.read': (handle, length, result) => this.#read(handle, length, result),
        '[method]input-stream.blocking-read': (handle, length, result) => this.#read(handle, length, result),
        '[method]input-stream.subscribe': () => 0,
      },
    };
  }
}

module.exports = { WasiFiles };
