'use strict';
// A loaded extension: its instance, which is replaced after a trap, and the calls of it.

const { CODE } = require('../opcodes.js');
const { MemoryTooSmall } = require('../wasm/memory-limit.js');
const { after } = require('./after.js');
const { FUNCTIONS, OTHERS } = require('./contract.js');
const { DynamicFunctions, ExtensionFailure, FIRST_DYNAMIC, Handles } = require('./handles.js');
const { Instance } = require('./instance.js');
const { UNFINISHED } = require('./types.js');
const { SuspendableInstance, canSuspend } = require('./suspendable-instance.js');

/** Longest message of a failure. */
const MAX_MESSAGE_BYTES = 4096;

/** The case `never` of `connecting`. */
const NEVER = 0;

const ENTRIES = { ...FUNCTIONS, ...OTHERS };

const success = (value) => ({ tag: 0, value });
const failed = (code, message) => {
  const text = Buffer.from(String(message));
  const short = text.length > MAX_MESSAGE_BYTES ? Buffer.from(text.toString('utf8', 0, MAX_MESSAGE_BYTES)) : text;
  return { tag: 1, value: { tag: UNFINISHED.FAILED, value: { code, message: short } } };
};

class Extension {
  handles = new Handles();
  functions = new DynamicFunctions();
  usage = { calls: 0, requests: 0, starts: 0, peakMemory: 0 };
  /** The result of an inline call that was too long. */
  pendingOutput = null;
  #instance = null;
  #isConnected = false;
  #wasConnected = false;
  #called = null;
  /** The call that waits for SQL. */
  #waiting = null;

  /**
   * @param {import('./package.js').Package} package_
   * @param {{ sql: 'none' | 'read' | 'write', environment: [string, string][], directories: { path: string, isReadOnly: boolean }[] }} granted
   * @param {{ time: number }} limits The time of one call, for extensions in a worker.
   */
  constructor(package_, granted, limits) {
    this.package = package_;
    this.granted = granted;
    this.limits = limits;
  }

  get name() {
    return this.package.name;
  }

  /** The instance for a call. */
  #ready() {
    if (this.#instance) return this.#instance;
    const { module, usesSql, script } = this.package;
    const { environment, directories } = this.granted;
    const hasTime = this.limits.time !== Infinity;
    if (hasTime || (usesSql && !canSuspend)) {
      const { WorkerInstance } = require('./worker-instance.js');
      this.#instance = new WorkerInstance(module, { environment, directories, usesSql, script, time: this.limits.time });
    } else {
      this.#instance = usesSql
        ? new SuspendableInstance(module, { environment, directories, script })
        : new Instance(module, { environment, directories, script });
    }
    this.usage.starts++;
    return this.#instance;
  }

  /** The instance without a worker, for calls of functions that have their own way. */
  get inline() {
    if (this.#waiting || !(this.#instance instanceof Instance)) return null;
    return this.#wasConnected && !this.#isConnected ? null : this.#instance;
  }

  /**
   * Calls a function of the contract.
   * @returns An answer for the engine: success, failure, or a request.
   */
  call(name, args) {
    const entry = ENTRIES[name];
    return this.#guarded(() => {
      if (this.#waiting) {
        return failed(CODE.MISUSE, `the extension \`${this.name}\` waits for the SQL that it asked for, and cannot be called from it`);
      }
      const instance = this.#ready();
      const connectsFirst = this.#wasConnected && !this.#isConnected && name !== 'extension-disconnect';
      if (connectsFirst && instance instanceof Instance) {
        const connected = this.#connect(instance);
        if (connected) return connected;
      }
      const own = this.#translated(entry, args);
      this.usage.calls++;
      const reply = instance instanceof Instance
        ? { returned: instance.call(entry, own) }
        : instance.call(name, own, connectsFirst);
      const state = { name, entry, handle: args[0], connects: connectsFirst || name === 'extension-connect' };
      return after(reply, (outcome) => this.#continued(state, outcome));
    });
  }

  /** Connects an instance that replaces one that trapped. Returns a failure, or nothing. */
  #connect(instance) {
    const { tag, value } = instance.call(OTHERS['extension-connect'], []);
    if (tag !== 0) return failed(value.code, value.message);
    this.#isConnected = true;
    return null;
  }

  /** Continues the call that waits, with the reply to its request. */
  resume(reply) {
    return this.#guarded(() => {
      const waiting = this.#waiting;
      if (!waiting) return failed(CODE.MISUSE, 'no call waits');
      this.#waiting = null;
      return after(this.#instance.resume(reply), (outcome) => this.#continued(waiting, outcome));
    });
  }

  /** The answer after a call has returned, or has made a request. */
  #continued(call, { returned, request }) {
    if (!request) return this.#finished(call, returned);
    this.usage.requests++;
    this.#waiting = call;
    const registered = request.function;
    const value = {
      operations: request.operations,
      readOnly: this.granted.sql !== 'write',
      function: registered && {
        handle: this.functions.register(registered.id, registered.function),
        function: registered.function,
      },
    };
    return { tag: 1, value: { tag: UNFINISHED.PENDING, value } };
  }

  #finished({ entry, handle, connects }, returned) {
    const { tag, value } = entry.isPlain ? success(returned) : returned;
    if (entry.ends === true || (entry.ends && tag === 0)) this.handles.remove(handle);
    if (tag !== 0) {
      // 0 and the codes of rows are no failures.
      const isFailure = ![CODE.OK, CODE.ROW, CODE.DONE].includes(value.code);
      return failed(isFailure ? value.code : CODE.ERROR, value.message);
    }
    if (connects) this.#isConnected = this.#wasConnected = true;
    if (entry.makes) return success(this.#withHandle(value));
    return success(entry.offers ? this.#offered(value) : value);
  }

  #withHandle(value) {
    if (typeof value === 'number') return this.handles.add(value, this.#called);
    return { ...value, table: this.handles.add(value.table, this.#called) };
  }

  #offered(overload) {
    if (!overload || overload.function < this.package.manifest.functions.length) return overload;
    return { ...overload, function: this.functions.offer(overload.function) };
  }

  /** The arguments with the extension's ids for handles. */
  #translated({ takes }, args) {
    this.#called = null;
    if (!takes) return args;
    const [first, ...others] = args;
    if (takes === 'handle') {
      const known = this.handles.get(first);
      if (!known) throw this.#lost('open the database again');
      this.#called = known.called;
      return [known.id, ...others];
    }
    if (first < FIRST_DYNAMIC) {
      this.#called = first;
      return args;
    }
    const id = this.functions.get(first);
    if (id === undefined) throw this.#lost('load it again');
    return [id, ...others];
  }

  #lost(help) {
    return new ExtensionFailure(`its state was lost when the extension \`${this.name}\` trapped; ${help}`);
  }

  /** Failures and traps become failures for SQL. */
  #guarded(action) {
    const failure = (error) => {
      if (error instanceof ExtensionFailure) return failed(error.code, error.message);
      return failed(CODE.ERROR, this.trapped(error));
    };
    try {
      const answer = action();
      return answer instanceof Promise ? answer.catch(failure) : answer;
    } catch (error) {
      return failure(error);
    }
  }

  /** The instance has trapped: the next call gets a new one. Returns the message. */
  trapped(error) {
    const printed = this.#instance?.printed() ?? '';
    this.#end();
    const named = this.package.manifest.functions[this.#called];
    const place = named ? ` in \`${named.name}()\`` : '';
    const cause = error instanceof MemoryTooSmall ? 'too little memory' : messageOf(error);
    const log = oneLine(printed);
    return `the extension \`${this.name}\` trapped${place}: ${cause}${log ? `; stderr: ${log}` : ''}`;
  }

  #end() {
    this.#instance?.close?.();
    this.#instance = null;
    this.#isConnected = false;
    this.#waiting = null;
    this.pendingOutput = null;
    this.handles.clear();
    this.functions.clear();
  }

  /** SQLite has closed the connection. */
  close() {
    const { usesSql, manifest } = this.package;
    // An instance that belongs to the connection is told so even if it never connects.
    const isTold = this.#isConnected || (usesSql && manifest.connects === NEVER);
    try {
      if (this.#instance && isTold && !this.#waiting) this.call('extension-disconnect', []);
    } finally {
      this.#end();
    }
  }
}

/** A text without control characters and without the directories of the machine that built it. */
const oneLine = (text) =>
  text.replace(/note: run with `RUST_BACKTRACE[^\n]*/g, '')
    .replace(/panicked at \S*?([^/\\\s]+\.rs)/g, 'panicked at $1')
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim();

const messageOf = (error) => oneLine(error instanceof RangeError ? 'the stack is too small' : String(error?.message ?? error));

module.exports = { Extension, failed, success };
