// The part of Node's Buffer that the modules of ../src use, as the bundles for browsers need it.

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export class Buffer extends Uint8Array {
  static alloc(size) {
    return new Buffer(size);
  }

  static allocUnsafe(size) {
    return new Buffer(size);
  }

  static allocUnsafeSlow(size) {
    return new Buffer(size);
  }

  /** Of text its bytes in UTF-8; of a list a copy; of an array buffer a view. */
  static from(source, start = undefined, length = undefined) {
    if (typeof source === 'string') {
      const bytes = encoder.encode(source);
      return new Buffer(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    if (ArrayBuffer.isView(source) || Array.isArray(source)) return new Buffer(source);
    return new Buffer(source, start, length);
  }

  static isBuffer(value) {
    return value instanceof Buffer;
  }

  static byteLength(text) {
    return encoder.encode(text).length;
  }

  static concat(parts) {
    const whole = new Buffer(parts.reduce((total, part) => total + part.length, 0));
    let position = 0;
    for (const part of parts) {
      whole.set(part, position);
      position += part.length;
    }
    return whole;
  }

  /** The order of the bytes. */
  static compare(left, right) {
    const common = Math.min(left.length, right.length);
    for (let index = 0; index < common; index++) {
      if (left[index] !== right[index]) return left[index] < right[index] ? -1 : 1;
    }
    return Math.sign(left.length - right.length);
  }

  #view() {
    return new DataView(this.buffer, this.byteOffset, this.byteLength);
  }

  equals(other) {
    return Buffer.compare(this, other) === 0;
  }

  copy(target, at, start, end) {
    target.set(this.subarray(start, end), at);
  }

  utf8Slice(start, end) {
    return decoder.decode(this.subarray(start, end));
  }

  /** Eight characters at a time: each text on the way to the whole one would be garbage. */
  latin1Slice(start, end) {
    let text = '';
    let at = start;
    for (; at + 8 <= end; at += 8) {
      text += String.fromCharCode(this[at], this[at + 1], this[at + 2], this[at + 3], this[at + 4], this[at + 5], this[at + 6], this[at + 7]);
    }
    if (at + 4 <= end) {
      text += String.fromCharCode(this[at], this[at + 1], this[at + 2], this[at + 3]);
      at += 4;
    }
    for (; at < end; at++) text += String.fromCharCode(this[at]);
    return text;
  }

  toString(encoding = 'utf8', start = 0, end = this.length) {
    if (encoding === 'hex') return Array.from(this, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return this.utf8Slice(start, end);
  }

  readUInt32LE(at) {
    return this.#view().getUint32(at, true);
  }

  writeUInt32LE(number, at) {
    this.#view().setUint32(at, number, true);
  }

  readBigUInt64LE(at = 0) {
    return this.#view().getBigUint64(at, true);
  }

  writeBigUInt64LE(number, at) {
    this.#view().setBigUint64(at, number, true);
  }
}
