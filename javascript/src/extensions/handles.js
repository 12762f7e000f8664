'use strict';
// Handles: SQLite's names for an extension's tables, cursors, accumulators, and functions beyond its
// manifest. A handle of an instance that has trapped is never valid for the next one.

const { CODE } = require('../opcodes.js');

/** Most tables, cursors and accumulators of one extension at once. */
const MAX_HANDLES = 1 << 16;

/** Handles are u32. */
const HANDLE_SPACE = 2 ** 32;

/** The first handle of a function beyond the manifest: those of the manifest have their index. */
const FIRST_DYNAMIC = 1 << 16;

/** Most functions that an extension registers beyond its manifest. */
const MAX_DYNAMIC = 10_000;

/** A failure that SQL reports. */
class ExtensionFailure extends Error {
  constructor(message, code = CODE.ERROR) {
    super(message);
    this.code = code;
  }
}

/** The objects of one extension. Handles are not used again for a long time. */
class Handles {
  #objects = new Map();
  #next = 0;

  /** A handle for the extension's id of an object, and the index of the function that it computes. */
  add(id, called) {
    if (this.#objects.size >= MAX_HANDLES) {
      throw new ExtensionFailure('too many tables, cursors and computations are open', CODE.NOMEM);
    }
    while (this.#objects.has(this.#next)) this.#next = (this.#next + 1) % HANDLE_SPACE;
    const handle = this.#next;
    this.#next = (handle + 1) % HANDLE_SPACE;
    this.#objects.set(handle, { id, called });
    return handle;
  }

  get(handle) {
    return this.#objects.get(handle);
  }

  remove(handle) {
    this.#objects.delete(handle);
  }

  /** The instance has trapped. */
  clear() {
    this.#objects.clear();
  }
}

/** Functions beyond the manifest. SQLite keeps their handles longer than an instance lives. */
class DynamicFunctions {
  #next = FIRST_DYNAMIC;
  /** The ids of this instance, by handle. */
  #ids = new Map();
  /** The handles of functions that only tables offer, by id. */
  #offered = new Map();
  /** The handles of functions that SQLite has, by their declarations. */
  #registered = new Map();

  #fresh(id) {
    if (this.#ids.size >= MAX_DYNAMIC) {
      throw new ExtensionFailure(`an extension may register ${MAX_DYNAMIC} functions`, CODE.NOMEM);
    }
    const handle = this.#next++;
    this.#ids.set(handle, id);
    return handle;
  }

  /** A handle for SQLite. A function that is registered again keeps it. */
  register(id, { name, arguments: count, encoding, flags, risk }) {
    const key = JSON.stringify([name.toString().toLowerCase(), count, encoding, flags, risk]);
    if (!this.#registered.has(key)) this.#registered.set(key, this.#fresh(id));
    const handle = this.#registered.get(key);
    this.#ids.set(handle, id);
    return handle;
  }

  offer(id) {
    if (!this.#offered.has(id)) this.#offered.set(id, this.#fresh(id));
    return this.#offered.get(id);
  }

  /** The extension's id; undefined if it belonged to an instance that trapped. */
  get(handle) {
    return this.#ids.get(handle);
  }

  /** The instance has trapped: the next one must register its functions again. */
  clear() {
    this.#ids.clear();
    this.#offered.clear();
  }
}

module.exports = { DynamicFunctions, ExtensionFailure, FIRST_DYNAMIC, Handles };
