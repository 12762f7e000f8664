// For tests without a browser: a synchronous access handle in memory.

export class Handle {
  reads = 0;
  writes = 0;
  flushes = 0;
  /** The arrays that it was given. */
  arrays = new Set();
  /** Where the disk cannot be read, if anywhere. */
  bad = -1;
  /** Whether writes fail. */
  fails = false;

  /** @param {number} room How far it can be written. */
  constructor(bytes, room = Infinity) {
    this.bytes = Uint8Array.from(bytes);
    this.room = room;
  }

  getSize() {
    return this.bytes.length;
  }

  read(buffer, { at }) {
    this.reads++;
    this.arrays.add(buffer);
    if (at <= this.bad && this.bad < at + buffer.length) throw new DOMException('the disk has failed', 'InvalidStateError');
    const part = this.bytes.subarray(at, at + buffer.length);
    buffer.set(part);
    return part.length;
  }

  write(buffer, { at }) {
    this.writes++;
    this.arrays.add(buffer);
    if (this.fails) throw new DOMException('the disk has failed', 'InvalidStateError');
    const count = Math.max(0, Math.min(buffer.length, this.room - at));
    if (at + count > this.bytes.length) this.truncate(at + count);
    this.bytes.set(buffer.subarray(0, count), at);
    return count;
  }

  truncate(size) {
    const bytes = new Uint8Array(size);
    bytes.set(this.bytes.subarray(0, size));
    this.bytes = bytes;
  }

  flush() {
    this.flushes++;
  }
}

export const random = (seed) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return seed / 2 ** 31;
};

/** Bytes of which no two pages are the same. */
export function content(length) {
  const bytes = new Uint8Array(length);
  for (let index = 0; index < length; index++) bytes[index] = index * 7 + (index >> 8) * 13 + (index >> 12);
  return bytes;
}

/** Faster than `deepEqual`, which compares elements. */
export const isSame = (one, other) => Buffer.from(one).equals(Buffer.from(other));
