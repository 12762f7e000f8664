'use strict';
// The compiled engine. Each limit of memory has its own: the limit is in the module.

const fs = require('node:fs');
const path = require('node:path');

const { DEFAULT_MEMORY } = require('./limits.js');
const { root } = require('../package-root.js');
const { ROOM_BYTES, limitMemory } = require('../wasm/memory-limit.js');

const FILE = path.join(root, 'engine', 'engine.wasm');

/** Compiled modules by their limit; programs use few limits. */
const compiled = new Map();
const MAX_COMPILED = 8;

/** The bytes of the engine behind room for a longer memory section: a copy of them would cost milliseconds. */
function read() {
  const file = fs.openSync(FILE, 'r');
  try {
    const { size } = fs.fstatSync(file);
    const room = Buffer.allocUnsafeSlow(ROOM_BYTES + size);
    if (fs.readSync(file, room, ROOM_BYTES, size, 0) !== size) throw new Error(`${FILE} was not read to its end`);
    return room;
  } finally {
    fs.closeSync(file);
  }
}

/** @param {number} bytes The limit of the engine's memory. */
function engineModule(bytes = DEFAULT_MEMORY) {
  const known = compiled.get(bytes);
  if (known) return known;
  const module = new WebAssembly.Module(limitMemory(read(), bytes));
  if (compiled.size >= MAX_COMPILED) compiled.delete(compiled.keys().next().value);
  compiled.set(bytes, module);
  return module;
}

module.exports = { engineModule };
