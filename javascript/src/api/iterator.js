'use strict';
// Iterating over the rows of a statement. Rows are read in blocks, which grow as more are asked for.

/** Rows of the largest block. */
const MOST_ROWS = 64;

class StatementIterator {
  #connection;
  #source;
  #rows = [];
  #position = 0;
  #limit = 1;
  #isDone = false;
  #isOpen = true;

  /**
   * @param {{ next: (rows: any[], limit: number) => boolean, end: () => void }} source
   */
  constructor(statement, connection, source) {
    Object.defineProperty(this, 'statement', { value: statement, enumerable: true });
    this.#connection = connection;
    this.#source = source;
  }

  next() {
    this.#connection.checkNotBusy();
    if (!this.#isOpen) return { value: undefined, done: true };
    if (this.#position === this.#rows.length && !this.#isDone) this.#read();
    if (this.#position < this.#rows.length) return { value: this.#take(), done: false };
    this.#end();
    return { value: undefined, done: true };
  }

  #take() {
    const row = this.#rows[this.#position];
    this.#rows[this.#position++] = undefined;
    return row;
  }

  #read() {
    this.#rows = [];
    this.#position = 0;
    try {
      this.#isDone = this.#source.next(this.#rows, this.#limit);
    } catch (error) {
      this.#end();
      throw error;
    }
    // A program notices when its functions are called, and what it changes in unsafe mode.
    const isObserved = this.#connection.hasFunctions || this.#connection.isUnsafe;
    this.#limit = isObserved ? 1 : Math.min(4 * this.#limit, MOST_ROWS);
  }

  #end() {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#rows = [];
    this.#source.end();
  }

  return() {
    this.#connection.checkNotBusy();
    this.#end();
    return { value: undefined, done: true };
  }

  [Symbol.iterator]() {
    return this;
  }
}

module.exports = { StatementIterator };
