'use strict';
// `process` of wit/host: time limits, sleeping, and the working directory.

/** The cases of `interruption`. */
const USER = 0;
const DEADLINE = 1;

/** Longest sleep of one call, in milliseconds. SQLite's busy handler sleeps for 100 at most. */
const MAX_SLEEP = 1000;

class Process {
  /** When the running statement is interrupted, by `performance.now()`. */
  deadline = Infinity;
  /** Whether the running statement was interrupted for its time. */
  isExpired = false;
  /** Whether the user wants the running statement to end. */
  isInterrupted = false;
  memory = null;

  /** @param {{ workingDirectory: () => string, sleep: (milliseconds: number) => void }} system */
  constructor({ workingDirectory, sleep }) {
    this.system = { workingDirectory, sleep };
  }

  /** A statement begins, which has this time in milliseconds. */
  begin(milliseconds) {
    this.deadline = performance.now() + milliseconds;
    this.isExpired = false;
    this.isInterrupted = false;
  }

  /** Stores whether the running statement is to end, and why. */
  poll(result) {
    const { u8 } = this.memory;
    // Without a limit there is no clock to look at.
    if (this.deadline !== Infinity && performance.now() > this.deadline) this.isExpired = true;
    u8[result] = this.isExpired || this.isInterrupted ? 1 : 0;
    u8[result + 1] = this.isExpired ? DEADLINE : USER;
  }

  #workingDirectory(result) {
    const bytes = Buffer.from(this.system.workingDirectory());
    const start = this.memory.store(bytes);
    this.memory.u8[result] = 1;
    this.memory.view.setUint32(result + 4, start, true);
    this.memory.view.setUint32(result + 8, bytes.length, true);
  }

  /** The imports of `sqlite-wasm:host/process`. */
  imports() {
    return {
      'poll-interruption': (result) => this.poll(result),
      sleep: (microseconds) => {
        this.system.sleep(Math.min((microseconds >>> 0) / 1000, MAX_SLEEP));
      },
      'working-directory': (result) => this.#workingDirectory(result),
      // The path is used nowhere else: extensions are loaded by the program.
      'check-granted': () => 0,
    };
  }
}

module.exports = { Process };
