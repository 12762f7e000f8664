'use strict';
// An instance of an extension on a thread of its own: it can wait in the middle of a call until its SQL
// was run, and can be ended when it takes too long.

const path = require('node:path');
const { MessageChannel, Worker, receiveMessageOnPort } = require('node:worker_threads');

const { root } = require('../package-root.js');
const { Channel } = require('./channel.js');

/** The time of one call, where the program sets none. */
const DEFAULT_TIME = 10_000;

/** The time to start the thread, in which nothing of the extension runs: long on a busy machine. */
const START_TIME = 60_000;

/** The extension's memory is not the thread's; its JavaScript needs little. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, stackSizeMb: 4 };

/** What is thrown for a trap, with the end of what the extension has printed. */
class WorkerTrap extends Error {}

class WorkerInstance {
  #worker;
  #channel;
  #printed = '';
  #time;

  /**
   * @param {WebAssembly.Module} module
   * @param {{ environment: [string, string][], directories: { path: string, isReadOnly: boolean }[], usesSql: boolean, script?: Uint8Array, time: number }} options
   */
  constructor(module, { environment, directories, usesSql, script, time }) {
    this.#time = time === Infinity ? DEFAULT_TIME : time;
    const shared = Channel.memory();
    const { port1, port2 } = new MessageChannel();
    this.#worker = new Worker(path.join(root, 'src/extensions/worker-main.js'), {
      workerData: { module, environment, directories, usesSql, script, shared, port: port2 },
      transferList: [port2],
      env: {},
      resourceLimits: RESOURCE_LIMITS,
    });
    // Neither keeps the program running.
    this.#worker.unref();
    port1.unref();
    this.#worker.on('error', () => {});
    this.#channel = new Channel('main', shared, port1, receiveMessageOnPort);
    this.#wait(START_TIME);
  }

  #wait(time) {
    const message = this.#channel.receive(time);
    if (message === undefined) {
      this.close();
      throw new WorkerTrap(`it used up its time for one call, ${time} ms`);
    }
    if (message.trap !== undefined) {
      this.#printed = message.printed;
      throw new WorkerTrap(message.trap);
    }
    return message;
  }

  /**
   * Calls a function of the contract, after `connect` if it is to be connected first.
   * @returns {{ returned?: any, request?: any }}
   */
  call(name, args, connectsFirst) {
    this.#channel.send({ name, args, connectsFirst });
    return this.#wait(this.#time);
  }

  /** Continues the call with the reply to its request. */
  resume(reply) {
    this.#channel.send({ reply });
    return this.#wait(this.#time);
  }

  printed() {
    return this.#printed;
  }

  close() {
    this.#worker.terminate();
  }
}

module.exports = { WorkerInstance };
