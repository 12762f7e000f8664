'use strict';
// `dispatch` for an engine without extensions. The code for extensions is loaded with the first one.

/** The functions that an engine without extensions can call. */
const NOTHING_LOADED = 'no extension is loaded';

class Dispatch {
  engine = null;
  #loaded = null;
  #imports = null;

  /** The whole dispatch. */
  loaded() {
    if (!this.#loaded) {
      const { Dispatch: Whole } = require('../late.js');
      this.#loaded = new Whole();
      this.#loaded.engine = this.engine;
      this.#imports = this.#loaded.imports();
    }
    return this.#loaded;
  }

  close() {
    this.#loaded?.close();
  }

  /**
   * The imports of `sqlite-wasm:host/dispatch` that a module has.
   * @param {string[]} names
   */
  imports(names) {
    const result = Object.create(null);
    for (const name of names) {
      result[name] = (...args) => {
        if (name === 'load') this.loaded();
        if (!this.#imports) throw new Error(NOTHING_LOADED);
        return this.#imports[name](...args);
      };
    }
    // The most frequent call, without an array for its arguments.
    result['inline-call'] = (handle, fn, heads, a, b, c, d, e, f, g, h, at) =>
      this.#imports['inline-call'](handle, fn, heads, a, b, c, d, e, f, g, h, at);
    result.embedded = (at) => {
      const { view } = this.engine.memory;
      // A list without items.
      view.setUint32(at, 4, true);
      view.setUint32(at + 4, 0, true);
    };
    return result;
  }
}

module.exports = { Dispatch };
