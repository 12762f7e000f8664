'use strict';
// The bytes of a request or reply. They are written where they are read, into the engine's mailbox,
// as long as they fit; longer ones go to memory of JavaScript.

const { encodeInto, encodeShort } = require('./text.js');

/** The length of a text that is a null pointer. */
const NO_TEXT = 0xffffffff;

/** Longest text or blob that SQLite accepts, in bytes. */
const MAX_BYTES = 1_000_000_000;

class Writer {
  constructor() {
    this.own = Buffer.allocUnsafe(1024);
    this.view = null;
    this.begin();
  }

  /** Begins in memory of JavaScript. */
  begin() {
    this.#use(this.own, 0, this.own.length);
    this.isOwn = true;
  }

  /** Begins in `bytes`, from `start` to `end`. */
  beginIn(bytes, view, start, end) {
    this.bytes = bytes;
    this.view = view;
    this.start = this.position = start;
    this.end = end;
    this.isOwn = false;
  }

  #use(bytes, position, end) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.start = 0;
    this.position = position;
    this.end = end;
  }

  get length() {
    return this.position - this.start;
  }

  /** What was written; valid until the next `begin`. */
  written() {
    return this.bytes.subarray(this.start, this.position);
  }

  #reserve(count) {
    if (this.end - this.position < count) this.#grow(count);
  }

  #grow(count) {
    const length = this.length;
    const larger = Buffer.allocUnsafe(2 * length + count + 1024);
    larger.set(this.written());
    if (larger.length <= 1 << 20) this.own = larger;
    this.#use(larger, length, larger.length);
    this.isOwn = true;
  }

  u8(number) {
    this.#reserve(1);
    this.bytes[this.position++] = number;
  }

  u32(number) {
    this.#reserve(4);
    this.view.setUint32(this.position, number, true);
    this.position += 4;
  }

  /** A `number` as a 64-bit integer, without its fraction. */
  i64(number) {
    this.#reserve(8);
    const low = number % 4294967296;
    this.view.setUint32(this.position, low, true);
    this.view.setInt32(this.position + 4, (number - low) / 4294967296 - (low < 0 ? 1 : 0), true);
    this.position += 8;
  }

  bigint(number) {
    this.#reserve(8);
    this.view.setBigInt64(this.position, number, true);
    this.position += 8;
  }

  f64(number) {
    this.#reserve(8);
    this.view.setFloat64(this.position, number, true);
    this.position += 8;
  }

  raw(bytes) {
    this.#reserve(bytes.length);
    this.bytes.set(bytes, this.position);
    this.position += bytes.length;
  }

  /** A blob, or the bytes of a text. */
  blob(bytes) {
    if (bytes.length > MAX_BYTES) throw new RangeError('The bound string, buffer, or bigint is too big');
    this.u32(bytes.length);
    this.raw(bytes);
    this.u8(0);
  }

  text(text) {
    if (text.length > MAX_BYTES) throw new RangeError('The bound string, buffer, or bigint is too big');
    this.#reserve(3 * text.length + 5);
    const start = this.position + 4;
    const count = encodeShort(text, this.bytes, start)
      ? text.length
      : encodeInto(text, this.bytes, start);
    this.view.setUint32(start - 4, count, true);
    this.bytes[start + count] = 0;
    this.position = start + count + 1;
  }

  /** A text, or a null pointer. */
  optionalText(text) {
    if (text === null || text === undefined) this.u32(NO_TEXT);
    else this.text(text);
  }
}

module.exports = { NO_TEXT, Writer };
