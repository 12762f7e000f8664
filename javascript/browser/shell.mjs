// SQLite's own shell in a worker: the module of cli.wasm, whose calls wait for lines and files by WebAssembly's JSPI.

import { Memory } from '../src/engine/memory.js';
import { suspending } from '../src/engine/suspending.js';
import { Dispatch } from '../src/extensions/dispatch.js';
import { prepared, readOptions } from '../src/extensions/loading.js';
import { Files } from '../src/files/imports.js';
import { Log, Stop, Wasi } from '../src/host/wasi.js';
import { MAX_NAME_BYTES, extensionBytes, noEngine } from './load.mjs';
import { ShellDisk } from './shell-disk.mjs';
import { Slices } from './yielding.mjs';
import { consoleImports, fileImports, processImports, streamImports } from './shell-imports.mjs';

const HOST = 'sqlite-wasm:host';
const RUN = 'wasi:cli/run@0.2.0#run';
const LOG_BYTES = 64 << 10;
const NOTHING = { variable: () => undefined, directory: () => '/', engine: noEngine };

/** The shell has several connections, and each its own instance of an extension. */
const FRESH = { find: () => undefined };

/** Whether each of the three streams is a terminal. */
const terminals = (shell, isInteractive) => {
  const found = (at) => {
    shell.memory.u8[at] = isInteractive ? 1 : 0;
    shell.memory.view.setUint32(at + 4, 0, true);
  };
  return ['stdin', 'stdout', 'stderr'].map((name) => [`wasi:cli/terminal-${name}@0.2.0`, { [`get-terminal-${name}`]: found }]);
};

export class Shell {
  memory = null;
  exitCode = 0;
  /** The user has pressed Ctrl-C, and SQLite has not looked since. */
  isInterrupted = false;
  slices = new Slices();
  #dispatch = new Dispatch();

  /**
   * @param {{ module: WebAssembly.Module, args: string[], terminal: any, isPersistent?: boolean, directory?: string,
   *   input?: Uint8Array, extensions: URL }} options `extensions`: the directory with index.json; `input`: what it reads
   *   instead of lines of the terminal.
   */
  constructor({ module, args, terminal, isPersistent = true, directory = '/', input, extensions }) {
    this.directory = directory;
    this.disk = new ShellDisk(isPersistent, directory);
    this.extensions = extensions;
    const files = new Files(this.disk);
    const wasi = new Wasi({ log: new Log(LOG_BYTES) });
    const wanted = WebAssembly.Module.imports(module);
    const imported = wasi.imports(wanted);
    const imports = {
      ...imported,
      ...Object.fromEntries(terminals(this, input === undefined)),
      ...streamImports(this, imported['wasi:io/streams@0.2.0'], terminal, input),
      [`${HOST}/files@0.1.0`]: fileImports(this, files, this.disk, terminal),
      [`${HOST}/shared-memory@0.1.0`]: files.sharedMemory(),
      [`${HOST}/process@0.1.0`]: processImports(this, ['sqlite3', ...args]),
      [`${HOST}/console@0.1.0`]: consoleImports(this, terminal),
      [`${HOST}/dispatch@0.1.0`]: this.#dispatchImports(),
    };
    this.exports = new WebAssembly.Instance(module, imports).exports;
    this.memory = new Memory(this.exports.memory, this.exports.cabi_realloc);
    for (const part of [wasi, files]) part.memory = this.memory;
    this.#dispatch.engine = { memory: this.memory, hasRoom: () => true };
  }

  interrupt() {
    this.isInterrupted = true;
  }

  #dispatchImports() {
    const imports = this.#dispatch.imports();
    const load = async (pointer, length, at) => {
      const name = this.memory.bytes(pointer, Math.min(length >>> 0, MAX_NAME_BYTES)).toString();
      const extension = await this.#prepared(name).catch(() => null);
      if (!extension) return imports.load(pointer, length, at);
      return this.#dispatch.offering(name, extension, () => imports.load(pointer, length, at));
    };
    return { ...suspending(true, imports), load: new WebAssembly.Suspending(load) };
  }

  /** The shipped extension of a name, which SQL may choose: its file has the hash that the index tells. */
  async #prepared(name) {
    const { bytes, entry } = await extensionBytes(this.extensions, name.replace(/^.*\/|\.wasm$/g, ''));
    return prepared(FRESH, bytes, entry.sha256, readOptions({}), entry.grants, NOTHING).extension;
  }

  /** Runs it to its end. Returns the exit code. */
  async run() {
    try {
      await WebAssembly.promising(this.exports[RUN])();
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
    } finally {
      await this.disk.close();
    }
    return this.exitCode;
  }
}
