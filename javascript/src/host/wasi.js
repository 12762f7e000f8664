'use strict';
// The parts of WASI 0.2 that engine and extensions get: clocks, randomness, and a log that takes their output. There is
// no input and no network; an import that is missing ends the instance that calls it.

const { fill: fillRandom } = require('./random.js');

/** Longest list of random bytes. */
const MAX_RANDOM_BYTES = 64 << 10;

/** The end of an instance by its own wish, or by a call that is not granted. */
class Stop extends Error {
  constructor(message) {
    super(message);
    this.name = 'Stop';
  }
}

/** The output of an instance: the last bytes up to a limit. */
class Log {
  #bytes = Buffer.alloc(0);

  constructor(limit) {
    this.limit = limit;
  }

  write(bytes) {
    const last = bytes.subarray(-this.limit);
    this.#bytes = Buffer.from(Buffer.concat([this.#bytes, last]).subarray(-this.limit));
  }

  /** The text so far, which is then empty. */
  take() {
    const text = this.#bytes.toString('utf8');
    this.#bytes = Buffer.alloc(0);
    return text;
  }
}

/** Handles of streams. Anything else that has a handle is never read. */
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;

/** What `check-write` allows at once. */
const WRITE_ROOM = 4096n;

class Wasi {
  #memory;

  /**
   * @param {{ log: Log, environment?: [string, string][], files?: import('./wasi-files.js').WasiFiles,
   *   fill?: typeof fillRandom }} options
   */
  constructor({ log, environment = [], files, fill = fillRandom }) {
    this.log = log;
    this.fill = fill;
    this.environment = environment;
    this.files = files;
    this.#memory = null;
  }

  get memory() {
    return this.#memory;
  }

  set memory(memory) {
    this.#memory = memory;
    if (this.files) this.files.memory = memory;
  }

  #storeList(result, pointer, count) {
    this.memory.view.setUint32(result, pointer, true);
    this.memory.view.setUint32(result + 4, count, true);
  }

  #randomBytes(length, result) {
    if (BigInt.asUintN(64, length) > MAX_RANDOM_BYTES) throw new Stop(`more than ${MAX_RANDOM_BYTES} random bytes`);
    const count = Number(length);
    const start = this.memory.allocate(count);
    this.fill(this.memory.u8, start, count);
    this.#storeList(result, start, count);
  }

  #environment(result) {
    const pairs = this.environment.map((pair) =>
      pair.map((text) => {
        const bytes = Buffer.from(text);
        return [this.memory.store(bytes), bytes.length];
      }),
    );
    const start = this.memory.allocate(16 * pairs.length, 4);
    pairs.flat(2).forEach((word, index) => this.memory.view.setUint32(start + 4 * index, word, true));
    this.#storeList(result, start, pairs.length);
  }

  #write(stream, pointer, length, result) {
    if (stream > STDERR && this.files) {
      this.files.write(stream, pointer, length, result);
      return;
    }
    if (stream !== STDOUT && stream !== STDERR) throw new Stop('a stream that is not open for writing');
    this.log.write(this.memory.bytes(pointer, length));
    this.memory.u8[result] = 0;
  }

  /** The functions of WASI that exist here, by interface and name. */
  #known() {
    const none = (result) => {
      this.memory.u8[result] = 0;
    };
    const waits = () => {
      throw new Stop('it wants to wait, which is not possible here');
    };
    return {
      'wasi:clocks/monotonic-clock': { now: () => BigInt(Math.round(performance.now() * 1e6)), 'subscribe-duration': waits },
      'wasi:clocks/wall-clock': {
        now: (result) => {
          const now = Date.now();
          this.memory.view.setBigUint64(result, BigInt(Math.floor(now / 1000)), true);
          this.memory.view.setUint32(result + 8, (now % 1000) * 1e6, true);
        },
      },
      'wasi:random/random': {
        'get-random-bytes': (length, result) => this.#randomBytes(length, result),
        'get-random-u64': () => {
          const number = Buffer.alloc(8);
          this.fill(number, 0, 8);
          return number.readBigUInt64LE();
        },
      },
      'wasi:random/insecure-seed': {
        'insecure-seed': (result) => {
          this.memory.check(result, 16);
          this.fill(this.memory.u8, result >>> 0, 16);
        },
      },
      'wasi:cli/environment': {
        'get-environment': (result) => this.#environment(result),
        'get-arguments': (result) => this.#storeList(result, 4, 0),
        'initial-cwd': none,
      },
      'wasi:cli/exit': {
        exit: (status) => {
          throw new Stop(status === 0 ? 'it has ended itself' : 'it gave up');
        },
      },
      'wasi:cli/stdin': { 'get-stdin': () => STDIN },
      'wasi:cli/stdout': { 'get-stdout': () => STDOUT },
      'wasi:cli/stderr': { 'get-stderr': () => STDERR },
      'wasi:cli/terminal-stdin': { 'get-terminal-stdin': none },
      'wasi:cli/terminal-stdout': { 'get-terminal-stdout': none },
      'wasi:cli/terminal-stderr': { 'get-terminal-stderr': none },
      'wasi:io/poll': { poll: waits, '[method]pollable.block': waits },
      'wasi:filesystem/preopens': { 'get-directories': (result) => this.#storeList(result, 0, 0) },
      'wasi:io/streams': {
        '[method]output-stream.check-write': (_stream, result) => {
          this.memory.u8[result] = 0;
          this.memory.view.setBigUint64(result + 8, WRITE_ROOM, true);
        },
        '[method]output-stream.write': (stream, pointer, length, result) =>
          this.#write(stream, pointer, length, result),
        '[method]output-stream.blocking-flush': (_stream, result) => none(result),
        '[method]output-stream.subscribe': () => STDIN,
      },
    };
  }

  /**
   * The imports of WASI that a module has.
   * @param {WebAssembly.ModuleImportDescriptor[]} wanted
   */
  imports(wanted) {
    const known = this.#known();
    for (const [name, functions] of Object.entries(this.files?.known() ?? {})) {
      known[name] = { ...known[name], ...functions };
    }
    const result = Object.create(null);
    for (const { module, name } of wanted) {
      if (!module.startsWith('wasi:')) continue;
      const [interfaceName] = module.split('@');
      const found = Object.hasOwn(known, interfaceName) && Object.hasOwn(known[interfaceName], name);
      const dropped = name.startsWith('[resource-drop]') ? () => {} : null;
      result[module] ??= Object.create(null);
      result[module][name] = found ? known[interfaceName][name] : (dropped ?? missing(module, name));
    }
    return result;
  }
}

const missing = (module, name) => () => {
  throw new Stop(`it calls ${module} ${name}, which is not granted`);
};

module.exports = { Log, Stop, Wasi };
