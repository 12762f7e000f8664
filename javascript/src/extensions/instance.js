'use strict';
// An instance of an extension: a module with its own memory, whose functions are called with values.

const { Memory } = require('../engine/memory.js');
const { Log, Wasi } = require('../host/wasi.js');
const { ContractViolation } = require('./abi.js');
const { VERSION } = require('./contract.js');
const { LOAD } = require('./script.js');
const t = require('./types.js');

/** Most bytes that one call returns. */
const MAX_VALUE_BYTES = 128 << 20;

/** Printed text that the message of a trap shows. */
const LOG_BYTES = 64 << 10;
const MAX_SHOWN_BYTES = 1000;

/** More flat values than these are passed in memory; no function of the contract has as many. */
const MAX_FLAT = 16;

const SQL_WORK = `sqlite-wasm:extension/sql-work@${VERSION}`;
const DESCRIBE = `sqlite-wasm:extension/extension@${VERSION}#describe`;
const INLINE = `sqlite-wasm:extension/inline@${VERSION}#call`;

/** The memory of an extension, which counts what is lifted from it in one call. */
class CountedMemory extends Memory {
  counted = 0;

  count(bytes) {
    this.counted += bytes;
    if (this.counted > MAX_VALUE_BYTES) {
      throw new ContractViolation(`more than ${MAX_VALUE_BYTES} bytes in one call`);
    }
  }
}

/** An engine imports SQL for those of its scripts that need it. */
const refused = () => {
  throw new Error('it uses SQL and does not say that it needs it');
};
const WITHOUT_SQL = { perform: refused, 'perform-later': refused, 'register-function': refused };

class Instance {
  /**
   * @param {WebAssembly.Module} module
   * @param {{ environment?: [string, string][], directories?: { path: string, isReadOnly: boolean }[], sqlWork?: Function, script?: Uint8Array, realm?: any }} host
   */
  constructor(module, { environment, directories = [], sqlWork, script, realm = WebAssembly }) {
    this.log = new Log(LOG_BYTES);
    this.files = directories.length > 0 ? new (require('../host/wasi-files.js').WasiFiles)(directories) : undefined;
    const wasi = new Wasi({ log: this.log, environment, files: this.files });
    const imports = wasi.imports(WebAssembly.Module.imports(module));
    imports[SQL_WORK] = sqlWork ? sqlWork(this) : WITHOUT_SQL;
    this.exports = new realm.Instance(module, imports).exports;
    this.memory = new CountedMemory(this.exports.memory, this.exports.cabi_realloc);
    wasi.memory = this.memory;
    this.inline = this.exports[INLINE];
    if (script) this.#run(script);
  }

  /** Gives an engine its script. */
  #run(script) {
    const { tag, value } = this.call(LOAD, [script]);
    if (tag !== 0) throw new Error(value.message.toString());
  }

  /** What the extension is and registers. */
  describe() {
    this.memory.counted = 0;
    const address = this.exports[DESCRIBE]() >>> 0;
    this.memory.check(address, t.manifest.size);
    const manifest = t.manifest.lift(this.memory, address);
    this.#free(DESCRIBE, address);
    return manifest;
  }

  /**
   * Calls a function of the contract. Returns what the extension has returned.
   * @param {{ export: string, params: any[], returned: any }} entry
   */
  call(entry, args) {
    return this.lifted(entry, this.function(entry)(...this.lowered(entry, args)));
  }

  /** The export of a function. */
  function(entry) {
    const fn = this.exports[entry.export];
    if (typeof fn !== 'function') throw new ContractViolation(`no export ${entry.export}`);
    return fn;
  }

  /** The arguments of a function as flat values. */
  lowered(entry, args) {
    const flat = [];
    entry.params.forEach((type, index) => type.lowerFlat(this.memory, args[index], (value) => flat.push(value)));
    if (flat.length > MAX_FLAT) throw new Error('too many arguments');
    return flat;
  }

  /** The result of a function from what it has returned. */
  lifted(entry, returned) {
    const type = entry.returned;
    if (type === null) return undefined;
    this.memory.counted = 0;
    // One flat value is returned as it is, more of them in memory.
    if (type.flat.length === 1) return type.liftFlat(this.memory, () => returned);
    const address = returned >>> 0;
    this.memory.check(address, type.size);
    if (address % type.align !== 0) throw new ContractViolation('a result that is not aligned');
    const result = type.lift(this.memory, address);
    this.#free(entry.export, address);
    return result;
  }

  /** The extension frees its result. */
  #free(name, address) {
    this.exports[`cabi_post_${name}`]?.(address);
  }

  /** The instance is not used any more. */
  close() {
    this.files?.closeAll();
  }

  /** The end of what the extension has printed, for the message of a trap. */
  printed() {
    return this.log.take().slice(-MAX_SHOWN_BYTES);
  }
}

module.exports = { Instance, SQL_WORK };
