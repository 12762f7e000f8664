'use strict';
// `dispatch` of wit/host: the engine loads extensions, and calls what they have registered.

const { CODE } = require('../opcodes.js');
const { after } = require('./after.js');
const { FUNCTIONS, RESUMES } = require('./contract.js');
const { failed, success } = require('./extension.js');
const { inlineImports } = require('./inline.js');
const t = require('./types.js');

/** The names are those of `load.js`. */
const MAX_NAME_BYTES = 255;

/** Most extensions of one connection. */
const MAX_EXTENSIONS = 256;

const LOADED = t.result(t.loaded, t.string);
const ATTACHED = t.result(t.u32, t.sqlError);
const ENDED = t.result(null, t.sqlError);
const CONNECTED = t.result(null, t.unfinished);
const USAGES = t.list(t.usage);
const NO_EXTENSIONS = t.list(t.loaded);

class Dispatch {
  engine = null;
  /** @type {import('./extension.js').Extension[]} */
  #extensions = [];
  /** What the program loads at the moment: SQL can load nothing. */
  #offered = new Map();

  /**
   * Lets the engine load an extension by a name, while `action` runs.
   * @param {import('./extension.js').Extension} extension
   */
  offering(name, extension, action) {
    if (this.#extensions.length >= MAX_EXTENSIONS) {
      throw new RangeError(`${MAX_EXTENSIONS} extensions are loaded already`);
    }
    this.#offered.set(name, extension);
    const end = () => this.#offered.delete(name);
    try {
      const result = action();
      if (result instanceof Promise) return result.finally(end);
      end();
      return result;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** The loaded extension with the same bytes. */
  find(sha256) {
    return this.#extensions.find((extension) => extension.package.sha256 === sha256);
  }

  /** The extension with a handle of the engine. */
  get(handle) {
    return this.#extensions[handle >>> 0];
  }

  close() {
    for (const extension of this.#extensions.splice(0)) {
      try {
        extension.close();
      } catch {
        // The others are closed all the same.
      }
    }
  }

  #load(name) {
    const extension = this.#offered.get(name);
    if (!extension) return { tag: 1, value: Buffer.from('extensions are loaded by the program: db.loadExtension()') };
    let handle = this.#extensions.indexOf(extension);
    if (handle < 0) handle = this.#extensions.push(extension) - 1;
    return success({ extension: handle, manifest: extension.package.manifest });
  }

  #statistics() {
    return this.#extensions.map(({ package: { manifest }, usage }) => ({
      name: manifest.name,
      calls: BigInt(usage.calls),
      batches: 0n,
      requests: BigInt(usage.requests),
      time: 0n,
      peakMemory: BigInt(usage.peakMemory),
      starts: usage.starts,
    }));
  }

  /**
   * Stores the answer of a call where the engine expects it; a failure instead where the engine has no
   * memory for it.
   */
  store(type, answer, at) {
    const { engine } = this;
    const enough = engine.hasRoom(bytesOf(answer));
    type.lower(engine.memory, at, enough ? answer : failed(CODE.NOMEM, ''));
  }

  /** An import that lifts its arguments, calls, and stores the answer. */
  #lifted(params, type, call) {
    return (handle, ...flat) => {
      const { memory } = this.engine;
      let index = 0;
      const args = params.map((param) => param.liftFlat(memory, () => flat[index++]));
      const extension = this.get(handle);
      const answer = extension ? call(extension, args) : failed(CODE.MISUSE, 'there is no such extension');
      return after(answer, (outcome) => this.store(type, outcome, flat[index]));
    };
  }

  #compare(handle, collation, ...flat) {
    const { memory } = this.engine;
    let index = 0;
    const [left, right] = [0, 1].map(() => t.bytes.liftFlat(memory, () => flat[index++]));
    const { tag, value } = this.get(handle).call('collation-compare', [collation, left, right]);
    // A comparison cannot fail; the order of bytes is at least an order.
    return tag === 0 ? value : Buffer.compare(left, right);
  }

  /** The imports of `sqlite-wasm:host/dispatch`. */
  imports() {
    const result = { ...inlineImports(this) };
    for (const [name, { params, answer }] of Object.entries(FUNCTIONS)) {
      result[name] = this.#lifted(params, answer, (extension, args) => extension.call(name, args));
    }
    for (const [name, resumed] of Object.entries(RESUMES)) {
      const type = t.result(resumed, t.unfinished);
      result[name] = this.#lifted([t.reply], type, (extension, [reply]) => extension.resume(reply));
    }
    const nothing = [];
    return {
      ...result,
      load: (pointer, length, at) => {
        const name = this.engine.memory.bytes(pointer, Math.min(length >>> 0, MAX_NAME_BYTES)).toString();
        LOADED.lower(this.engine.memory, at, this.#load(name));
      },
      attach: (handle, at) => ATTACHED.lower(this.engine.memory, at, success(handle >>> 0)),
      disconnect: (handle, at) => {
        this.get(handle)?.close();
        ENDED.lower(this.engine.memory, at, success());
      },
      connect: this.#lifted(nothing, CONNECTED, (extension) => extension.call('extension-connect', [])),
      embedded: (at) => NO_EXTENSIONS.lower(this.engine.memory, at, []),
      statistics: (at) => USAGES.lower(this.engine.memory, at, this.#statistics()),
      'collation-compare': (...args) => this.#compare(...args),
    };
  }
}

/** About how many bytes an answer takes in the engine: what is asked for before it is sent. */
function bytesOf(answer) {
  if (answer === null || typeof answer !== 'object') return 16;
  if (Buffer.isBuffer(answer)) return answer.length + 16;
  let total = 16;
  for (const part of Array.isArray(answer) ? answer : Object.values(answer)) total += bytesOf(part);
  return total;
}

module.exports = { Dispatch };
