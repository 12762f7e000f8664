'use strict';
// Reading the bytes of the engine. It may have been taken over, so each length is checked.

const { decode } = require('./text.js');
const { NO_TEXT } = require('./writer.js');

/** Bytes that SQLite would not send. */
class MalformedReply extends Error {
  constructor() {
    super('the engine has sent a malformed reply');
    this.name = 'MalformedReply';
  }
}

class Reader {
  /**
   * @param {Buffer} bytes
   * @param {DataView} view Of the same memory.
   */
  constructor(bytes, view, position, end) {
    this.bytes = bytes;
    this.view = view;
    this.position = position;
    this.end = end;
    if (!(position <= end && end <= bytes.length)) throw new MalformedReply();
  }

  /** Reads from a copy of some bytes. */
  static of(bytes) {
    const copy = Buffer.from(bytes);
    return new Reader(copy, new DataView(copy.buffer, copy.byteOffset), 0, copy.length);
  }

  get left() {
    return this.end - this.position;
  }

  /** Skips bytes. Returns where they began. */
  take(count) {
    const start = this.position;
    if (count > this.end - start) throw new MalformedReply();
    this.position = start + count;
    return start;
  }

  u8() {
    return this.bytes[this.take(1)];
  }

  u32() {
    return this.view.getUint32(this.take(4), true);
  }

  i32() {
    return this.view.getInt32(this.take(4), true);
  }

  /** A 64-bit integer as a `number`, which is not exact above 2^53. */
  i64() {
    const start = this.take(8);
    return this.view.getInt32(start + 4, true) * 4294967296 + this.view.getUint32(start, true);
  }

  bigint() {
    return this.view.getBigInt64(this.take(8), true);
  }

  f64() {
    return this.view.getFloat64(this.take(8), true);
  }

  text() {
    const length = this.u32();
    const start = this.take(length + 1);
    return decode(this.bytes, start, start + length);
  }

  /** A text, or null for a null pointer. */
  optionalText() {
    if (this.left >= 4 && this.view.getUint32(this.position, true) === NO_TEXT) {
      this.position += 4;
      return null;
    }
    return this.text();
  }

  /** A copy of the bytes of a blob. */
  blob() {
    const length = this.u32();
    const start = this.take(length + 1);
    return Buffer.from(this.bytes.subarray(start, start + length));
  }

  /** A copy of bytes without their length. */
  raw(length) {
    const start = this.take(length);
    return Buffer.from(this.bytes.subarray(start, start + length));
  }

  /** As many bytes as are at least needed for a count of items: a larger count is malformed. */
  count(bytesOfOne) {
    const count = this.u32();
    if (count * bytesOfOne > this.left) throw new MalformedReply();
    return count;
  }
}

module.exports = { MalformedReply, Reader };
