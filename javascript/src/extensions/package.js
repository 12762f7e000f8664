'use strict';
// The file of an extension: its code, its manifest, and what it is granted.

const { kindOf } = require('../wasm/binary.js');
const { largestCoreModule } = require('../wasm/component.js');
const { withMemoryLimit } = require('../wasm/memory-limit.js');
const { exportName, VERSION } = require('./contract.js');
const { Instance, SQL_WORK } = require('./instance.js');
const { LOAD, scriptOf } = require('./script.js');
const { NEED } = require('./types.js');

/** Longest file of an extension. */
const MAX_FILE_BYTES = 256 << 20;

/** As in host/runtime/src/contract/check.rs. */
const MAX_NAME_BYTES = 255;
const MAX_REGISTRATIONS = 1000;
const MAX_LINE_BYTES = 1000;
const MAX_ENTRIES = 100;

const OWN_NAME = /^[A-Za-z0-9_]+$/;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

const KIND_SCALAR = 0;
const FLAG_INLINE = 16;
const FLAG_POINTERS = 32;

const refuse = (why) => {
  throw new Error(why);
};

function checkName(bytes) {
  const name = bytes.toString();
  if (bytes.length === 0 || bytes.length > MAX_NAME_BYTES || CONTROL.test(name)) {
    refuse(`it registers a name that is empty, longer than ${MAX_NAME_BYTES} bytes, or has control characters`);
  }
}

function checkLine(what, bytes) {
  if (bytes.length > MAX_LINE_BYTES || CONTROL.test(bytes.toString())) {
    refuse(`its ${what} is not one line of at most ${MAX_LINE_BYTES} bytes`);
  }
}

function checkFunction({ name, arguments: count, flags }) {
  if (count < -1) refuse(`it registers \`${name}\` with ${count} arguments`);
  if (flags & FLAG_INLINE && flags & FLAG_POINTERS) refuse(`it registers \`${name}\` for pointers, and as inline`);
}

/** Checks everything that an extension registers. */
function checkManifest(manifest) {
  const { name, version, description, functions, collations, modules, needs } = manifest;
  if (!OWN_NAME.test(name.toString()) || name.length > MAX_NAME_BYTES) {
    refuse(`its own name is not 1 to ${MAX_NAME_BYTES} letters, digits and \`_\``);
  }
  const registered = [...functions, ...collations, ...modules];
  if (registered.length > MAX_REGISTRATIONS) {
    refuse(`it registers ${registered.length} names; ${MAX_REGISTRATIONS} are allowed`);
  }
  registered.forEach((entry) => checkName(entry.name));
  checkLine('version', version);
  checkLine('description', description);
  for (const { shadowNames } of modules) {
    if (shadowNames.length > MAX_ENTRIES) refuse(`a module has more than ${MAX_ENTRIES} shadow names`);
    shadowNames.forEach(checkName);
  }
  if (needs.length > MAX_ENTRIES) refuse(`it has more than ${MAX_ENTRIES} needs`);
  needs.forEach(({ value }) => value && checkLine('need', value));
  functions.forEach(checkFunction);
}

/** Checks that the module exports what the manifest registers. */
function checkExports(module, { functions, collations, modules }) {
  const exported = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  const isScalar = ({ kind }) => kind === KIND_SCALAR;
  const wanted = [
    ['scalar-call', functions.some(isScalar)],
    ['inline-call', functions.some(({ flags }) => flags & FLAG_INLINE)],
    ['pointers-forget', functions.some(({ flags }) => flags & FLAG_POINTERS)],
    ['aggregate-start', !functions.every(isScalar)],
    ['collation-compare', collations.length > 0],
    ['table-connect', modules.length > 0],
  ];
  const missing = wanted.find(([name, isNeeded]) => isNeeded && !exported.has(exportName(name)));
  if (missing) refuse(`it registers what it does not export: \`${missing[0]}\``);
}

/** The program of an extension: of a component, or a core module itself. */
function programOf(bytes) {
  if (bytes.length > MAX_FILE_BYTES) refuse(`it has more than ${MAX_FILE_BYTES} bytes`);
  const module = kindOf(bytes) === 'component' ? largestCoreModule(bytes) : refuse('it is not a component');
  return module;
}

/** An extension can only import functions of WASI and SQL; all else would be foreign memory. */
function checkImports(module) {
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    const isKnown = from.startsWith('wasi:') || from === SQL_WORK;
    if (kind !== 'function' || !isKnown) refuse(`it imports ${from} ${name}, which no extension can have`);
  }
  const exported = new Map(WebAssembly.Module.exports(module).map(({ name, kind }) => [name, kind]));
  if (exported.get('memory') !== 'memory' || exported.get('cabi_realloc') !== 'function') {
    refuse('it does not export its memory');
  }
  const describe = [...exported.keys()].find((name) => /^sqlite-wasm:extension\/extension@[^#]*#describe$/.test(name));
  if (!describe) refuse('it is not an extension: it does not export `sqlite-wasm:extension`');
  if (!exported.has(exportName('extension-describe'))) {
    refuse(`it was made for another version of the contract than ${VERSION}`);
  }
}

class Package {
  /**
   * @param {Uint8Array} bytes The file.
   * @param {string} sha256 Of these bytes.
   * @param {number} memory The limit of its memory.
   * @param {(name: string) => Uint8Array} engine The file of the engine that runs a script.
   */
  constructor(bytes, sha256, memory, engine) {
    this.sha256 = sha256;
    const script = scriptOf(bytes);
    this.script = script?.source;
    this.program = withMemoryLimit(programOf(script ? engine(script.engine) : bytes), memory);
    this.module = new WebAssembly.Module(this.program);
    checkImports(this.module);
    this.usesSql = WebAssembly.Module.imports(this.module).some(({ module }) => module === SQL_WORK);
    // Nothing is granted to the instance that says what it needs.
    const sqlWork = () => ({ perform: noSql, 'perform-later': noSql, 'register-function': noSql });
    const nothing = { sqlWork: this.usesSql ? sqlWork : undefined, script: this.script };
    this.manifest = new Instance(this.module, nothing).describe();
    checkManifest(this.manifest);
    checkExports(this.module, this.manifest);
    this.name = this.manifest.name.toString();
    const needsSql = this.manifest.needs.some(({ tag }) => tag === NEED.SQL || tag === NEED.SQL_READ_ONLY);
    const isEngine = WebAssembly.Module.exports(this.module).some(({ name }) => name === LOAD.export);
    if (this.usesSql && !needsSql && !isEngine) {
      refuse('it imports `sql-work` and does not say that it needs SQL');
    }
    // An engine imports it for those of its scripts that need it.
    this.usesSql &&= needsSql;
  }
}

const noSql = () => {
  throw new Error('it uses SQL before it is loaded');
};

module.exports = { MAX_FILE_BYTES, Package };
