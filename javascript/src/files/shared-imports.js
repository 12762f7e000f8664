'use strict';
// `shared-memory` of wit/host in its lowered form.

const { ERROR, FileError } = require('./errors.js');
const { File } = require('./file.js');
const { FLAG } = require('./flags.js');
const { STATE, SharedMemory } = require('./shared-memory.js');
const { system } = require('./system.js');

const removeFile = (name) => require('node:fs').rmSync(name, { force: true });

class SharedImports {
  /** @param {import('./imports.js').Files} files */
  constructor(files) {
    this.files = files;
  }

  #shared(handle) {
    const { shared } = this.files.file(handle);
    if (!shared) throw new FileError(ERROR.INVALID);
    return shared;
  }

  #place(file) {
    return this.files.disk.paths.place(`${file.place.path}-shm`, false);
  }

  #open(handle, isReadOnly) {
    const file = this.files.file(handle);
    if (file.shared) return file.shared.attend();
    if (!file.canShare()) throw new FileError(ERROR.UNSUPPORTED);
    const how = isReadOnly ? 0 : FLAG.READ_WRITE | FLAG.CREATE | FLAG.JOURNAL;
    const opened = File.open(this.#place(file), how, 'shared');
    const shared = new SharedMemory(opened.file.descriptor, isReadOnly || opened.isReadOnly);
    const state = shared.attend();
    if (state === STATE.BUSY) shared.close(this.files.memory);
    else file.shared = shared;
    return state;
  }

  #close(handle, deletes) {
    const file = this.files.file(handle);
    if (!file.shared) return;
    const { shared } = file;
    file.shared = null;
    const place = this.#place(file);
    // A file that stays does no harm: the next connection empties it.
    if (deletes && !shared.isReadOnly && !place.isReadOnly) removeFile(place.path);
    shared.close(this.files.memory);
  }

  imports() {
    const { files } = this;
    const store = (result, operation) => files.store(result, 1, operation);
    const answer = (result, operation) =>
      store(result, () => {
        files.memory.u8[result + 1] = Number(operation());
      });
    const refused = (_file, _offset, _pointer, _length, result) =>
      store(result, () => {
        throw new FileError(ERROR.UNSUPPORTED);
      });
    return {
      'shm-open': (handle, isReadOnly, result) => answer(result, () => this.#open(handle, isReadOnly !== 0)),
      'shm-reach': (handle, bytes, extend, result) =>
        answer(result, () => this.#shared(handle).reach(Number(bytes), extend !== 0)),
      'shm-map': (handle, offset, pointer, length, result) =>
        store(result, () =>
          this.#shared(handle).map(Number(offset), files.memory, pointer >>> 0, length >>> 0),
        ),
      'shm-lock': (handle, first, count, how, result) =>
        answer(result, () => this.#shared(handle).lock(files.memory, first, count, how)),
      'shm-barrier': () => system.barrier(),
      'shm-has-reader': (handle, result) => answer(result, () => this.#shared(handle).hasReader()),
      'shm-close': (handle, deletes) => this.#close(handle, deletes !== 0),
      'map-file': refused,
      'unmap-file': () => {},
    };
  }
}

/** The imports of `sqlite-wasm:host/shared-memory`. */
const sharedImports = (files) => new SharedImports(files).imports();

module.exports = { sharedImports };
