'use strict';
// The core modules inside a component. Of a component that wit-component has made the largest one is
// the program; the others only connect its imports, which JavaScript's closures do as well.

const { MalformedWasm, kindOf, sections } = require('./binary.js');

const CORE_MODULE_SECTION = 1;
const COMPONENT_SECTION = 4;

/** Components are nested once or twice; each level costs stack. */
const MAX_DEPTH = 16;

/** @returns {Uint8Array[]} The core modules, in the order of the file. */
function coreModules(bytes) {
  const found = [];
  collect(bytes, 0, bytes.length, found, 0);
  return found;
}

function collect(bytes, start, end, found, depth) {
  if (depth > MAX_DEPTH) throw new MalformedWasm('components are nested too deeply');
  if (kindOf(bytes, start) !== 'component') throw new MalformedWasm('not a component');
  for (const section of sections(bytes, start, end)) {
    if (section.id === CORE_MODULE_SECTION) {
      found.push(bytes.subarray(section.start, section.end));
    } else if (section.id === COMPONENT_SECTION) {
      collect(bytes, section.start, section.end, found, depth + 1);
    }
  }
}

/** The program of a component. */
function largestCoreModule(bytes) {
  const modules = coreModules(bytes);
  if (modules.length === 0) throw new MalformedWasm('a component without a core module');
  return modules.reduce((largest, other) => (other.length > largest.length ? other : largest));
}

module.exports = { coreModules, largestCoreModule };
