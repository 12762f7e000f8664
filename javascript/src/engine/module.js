'use strict';
// The compiled engine. Each limit of memory has its own: the limit is in the module.

const fs = require('node:fs');
const path = require('node:path');

const root = require('../package-root.js');
const { withMemoryLimit } = require('../wasm/memory-limit.js');

const FILE = path.join(root, 'engine', 'engine.wasm');

/** SQLite's heap, caches and results. As much as `sqlite-wasm-run` allows by default. */
const DEFAULT_MEMORY = 2 ** 30;

/** Compiled modules by their limit; programs use few limits. */
const compiled = new Map();
const MAX_COMPILED = 8;

/** @param {number} bytes The limit of the engine's memory. */
function engineModule(bytes = DEFAULT_MEMORY) {
  const known = compiled.get(bytes);
  if (known) return known;
  const module = new WebAssembly.Module(withMemoryLimit(fs.readFileSync(FILE), bytes));
  if (compiled.size >= MAX_COMPILED) compiled.delete(compiled.keys().next().value);
  compiled.set(bytes, module);
  return module;
}

module.exports = { DEFAULT_MEMORY, engineModule };
