'use strict';
// An instance of an extension whose calls are suspended while they wait for SQL, by WebAssembly's JSPI
// (JavaScript Promise Integration), where V8 has it.
//
// A suspended call continues in a reaction to a promise, and SQLite's call cannot return to the event
// loop to let it run. So the instance belongs to a context with its own queue of reactions, which
// `node:vm` empties after each script that it runs there, at any depth of the stack.

const vm = require('node:vm');

const { FUNCTIONS, OTHERS } = require('./contract.js');
const { Instance } = require('./instance.js');
const { SqlWork } = require('./sql-work.js');

const ENTRIES = { ...FUNCTIONS, ...OTHERS };

const canSuspend = typeof WebAssembly.Suspending === 'function' && typeof WebAssembly.promising === 'function';

/** Functions in which SQL is not available. */
const WITHOUT_SQL = new Set(['extension-disconnect', 'collation-compare']);

/** What is evaluated in the context, so that its promises are of that context. */
const CONTEXT_SOURCE = `({
  WebAssembly,
  promise: (executor) => new Promise(executor),
  run: async (steps, settle) => {
    try {
      let last;
      for (const step of steps) last = await step(last);
      settle({ returned: last });
    } catch (error) {
      settle({ error });
    }
  },
})`;

const NOTHING = new vm.Script('0');

/** Thrown to leave the steps of a call with an answer. */
class Answer {
  constructor(value) {
    this.value = value;
  }
}

class SuspendableInstance {
  #context = vm.createContext(Object.create(null), { microtaskMode: 'afterEvaluate' });
  #realm = vm.runInContext(CONTEXT_SOURCE, this.#context);
  #work = new SqlWork((request, store) => this.#requested(request, store));
  #instance;
  /** The request that waits for its reply. */
  #request = null;
  #settled = null;

  /**
   * @param {WebAssembly.Module} module
   * @param {{ environment: [string, string][], directories: { path: string, isReadOnly: boolean }[], script?: Uint8Array }} options
   */
  constructor(module, { environment, directories, script }) {
    const { Suspending } = this.#realm.WebAssembly;
    const sqlWork = (instance) => {
      const imports = this.#work.imports(instance);
      return Object.fromEntries(Object.entries(imports).map(([name, fn]) => [name, new Suspending(fn)]));
    };
    this.#instance = new Instance(module, { environment, directories, sqlWork, script, realm: this.#realm.WebAssembly });
  }

  /** The call is suspended until `resume`. */
  #requested(request, store) {
    return this.#realm.promise((fulfil) => {
      this.#request = { request, store, fulfil };
    });
  }

  /** Runs what can continue. */
  #continue() {
    NOTHING.runInContext(this.#context);
    if (this.#settled) {
      const { returned, error } = this.#settled;
      this.#settled = null;
      this.#work.isOpen = false;
      if (error instanceof Answer) return { returned: error.value };
      if (error !== undefined) throw error;
      return { returned };
    }
    if (!this.#request) throw new Error('it waits for nothing');
    return { request: this.#request.request };
  }

  /** The steps of one call: the function, its result, and the work that has waited for its end. */
  #steps(name, args) {
    const entry = ENTRIES[name];
    const instance = this.#instance;
    let result;
    let last;
    return [
      () => {
        this.#work.isOpen = !WITHOUT_SQL.has(name);
        const promised = this.#realm.WebAssembly.promising(instance.function(entry));
        return promised(...instance.lowered(entry, args));
      },
      (returned) => {
        result = instance.lifted(entry, returned);
        return this.#work.finish((reply) => { last = reply; });
      },
      () => (last.tag !== 0 && !entry.isPlain ? last : result),
    ];
  }

  /**
   * Calls a function of the contract, after `connect` if it is to be connected first.
   * @returns {{ returned?: any, request?: any }}
   */
  call(name, args, connectsFirst) {
    const connected = (answer) => {
      if (answer.tag !== 0) throw new Answer(ENTRIES[name].isPlain ? undefined : answer);
    };
    const before = connectsFirst ? [...this.#steps('extension-connect', []), connected] : [];
    this.#realm.run([...before, ...this.#steps(name, args)], (outcome) => { this.#settled = outcome; });
    return this.#continue();
  }

  /** Continues the call with the reply to its request. */
  resume(reply) {
    const { store, fulfil } = this.#request;
    this.#request = null;
    store(reply);
    fulfil();
    return this.#continue();
  }

  close() {
    this.#instance.close();
  }

  printed() {
    return this.#instance.printed();
  }
}

module.exports = { SuspendableInstance, canSuspend };
