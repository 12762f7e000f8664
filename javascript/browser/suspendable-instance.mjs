// An instance of an extension whose calls wait for SQL, instead of ../src/extensions/suspendable-instance.js. The
// engine below is suspended too, so the replies are promises.

import { FUNCTIONS, OTHERS } from '../src/extensions/contract.js';
import { Instance } from '../src/extensions/instance.js';
import { SqlWork } from '../src/extensions/sql-work.js';

const ENTRIES = { ...FUNCTIONS, ...OTHERS };

/** Functions in which SQL is not available. */
const WITHOUT_SQL = new Set(['extension-disconnect', 'collation-compare']);

export const canSuspend = typeof WebAssembly.Suspending === 'function' && typeof WebAssembly.promising === 'function';

export class SuspendableInstance {
  #work = new SqlWork((request, store) => this.#requested(request, store));
  #instance;
  /** Continues the extension with the reply to its request. */
  #fulfil = null;
  #settle = null;

  constructor(module, { environment, directories }) {
    const sqlWork = (instance) => {
      const imports = this.#work.imports(instance);
      return Object.fromEntries(Object.entries(imports).map(([name, fn]) => [name, new WebAssembly.Suspending(fn)]));
    };
    this.#instance = new Instance(module, { environment, directories, sqlWork });
  }

  /** The call is suspended until `resume`. */
  #requested(request, store) {
    return new Promise((fulfil) => {
      this.#fulfil = (reply) => {
        store(reply);
        fulfil();
      };
      this.#settle.resolve({ request });
    });
  }

  /** What the call does next: it returns, or it makes a request. */
  #next() {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  /** One call: the function, and the work that has waited for its end. */
  async #called(name, args) {
    const entry = ENTRIES[name];
    this.#work.isOpen = !WITHOUT_SQL.has(name);
    try {
      const promised = WebAssembly.promising(this.#instance.function(entry));
      const result = this.#instance.lifted(entry, await promised(...this.#instance.lowered(entry, args)));
      let last;
      await this.#work.finish((reply) => { last = reply; });
      return last.tag !== 0 && !entry.isPlain ? last : result;
    } finally {
      this.#work.isOpen = false;
    }
  }

  async #run(name, args, connectsFirst) {
    if (connectsFirst) {
      const connected = await this.#called('extension-connect', []);
      if (connected.tag !== 0) return ENTRIES[name].isPlain ? undefined : connected;
    }
    return this.#called(name, args);
  }

  /**
   * Calls a function of the contract, after `connect` if it is to be connected first.
   * @returns {Promise<{ returned?: any, request?: any }>}
   */
  call(name, args, connectsFirst) {
    const next = this.#next();
    this.#run(name, args, connectsFirst).then(
      (returned) => this.#settle.resolve({ returned }),
      (error) => this.#settle.reject(error),
    );
    return next;
  }

  /** Continues the call with the reply to its request. */
  resume(reply) {
    const next = this.#next();
    this.#fulfil(reply);
    return next;
  }

  close() {
    this.#instance.close();
  }

  printed() {
    return this.#instance.printed();
  }
}
