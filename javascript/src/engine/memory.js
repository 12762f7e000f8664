'use strict';
// The memory of an instance. V8 replaces its array buffer when it grows, so views are made anew.

/** An address or length that the instance has sent is outside of its memory. */
class OutOfBounds extends Error {
  constructor() {
    super('an address is outside of the memory');
  }
}

class Memory {
  #memory;
  #allocate;
  #u8;
  #view;
  /** How often the memory was seen to have grown. */
  #generation = 0;

  /**
   * @param {WebAssembly.Memory} memory
   * @param {(old: number, oldSize: number, align: number, size: number) => number} reallocate
   */
  constructor(memory, reallocate) {
    this.#memory = memory;
    this.#allocate = reallocate;
    this.#refresh();
  }

  #refresh() {
    const { buffer } = this.#memory;
    this.#u8 = Buffer.from(buffer);
    this.#view = new DataView(buffer);
    this.#generation++;
  }

  /** All of it; valid until the instance is called. */
  get u8() {
    // The length of a view of a replaced array buffer is 0.
    if (this.#u8.length === 0) this.#refresh();
    return this.#u8;
  }

  get view() {
    if (this.#u8.length === 0) this.#refresh();
    return this.#view;
  }

  get generation() {
    if (this.#u8.length === 0) this.#refresh();
    return this.#generation;
  }

  check(pointer, length) {
    if ((pointer >>> 0) + (length >>> 0) > this.u8.length) throw new OutOfBounds();
  }

  /** Some of its bytes, not copied. */
  bytes(pointer, length) {
    this.check(pointer, length);
    return this.#u8.subarray(pointer >>> 0, (pointer >>> 0) + (length >>> 0));
  }

  /** The address of new memory of the instance. */
  allocate(length, align = 1) {
    const start = this.#allocate(0, 0, align, length) >>> 0;
    this.check(start, length);
    if (start % align !== 0) throw new OutOfBounds();
    return start;
  }

  /** Copies bytes to new memory. Returns its address. */
  store(bytes) {
    const start = this.allocate(bytes.length);
    this.u8.set(bytes, start);
    return start;
  }
}

module.exports = { Memory, OutOfBounds };
