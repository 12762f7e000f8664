'use strict';
// Defaults of what an engine may use.

/** SQLite's heap, caches and results. As much as `sqlite-wasm-run` allows by default. */
const DEFAULT_MEMORY = 2 ** 30;

module.exports = { DEFAULT_MEMORY };
