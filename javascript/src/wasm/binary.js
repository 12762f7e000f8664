'use strict';
// Reading the binary format of WebAssembly. The bytes can be malformed: each read checks its bounds.

/** Bytes that are not the WebAssembly that is expected. */
class MalformedWasm extends Error {
  constructor(message) {
    super(`malformed WebAssembly: ${message}`);
    this.name = 'MalformedWasm';
  }
}

const MAGIC = 0x6d736100;
/** The four bytes behind the magic, as an integer: version and layer. */
const CORE_VERSION = 1;
const COMPONENT_VERSION = 0x1000d;
/** The length of magic and version. */
const PREAMBLE_BYTES = 8;

/** Reads from a position on. */
class BinaryReader {
  constructor(bytes, position = 0, end = bytes.length) {
    this.bytes = bytes;
    this.position = position;
    this.end = end;
  }

  get isAtEnd() {
    return this.position >= this.end;
  }

  u8() {
    if (this.position >= this.end) throw new MalformedWasm('unexpected end');
    return this.bytes[this.position++];
  }

  /** An unsigned LEB128 integer of at most 32 bits. */
  u32() {
    let result = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      result += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (result > 0xffffffff) break;
        return result;
      }
    }
    throw new MalformedWasm('a number has more than 32 bits');
  }

  /** Skips bytes. Returns where they began. */
  skip(count) {
    const start = this.position;
    if (count > this.end - start) throw new MalformedWasm('unexpected end');
    this.position += count;
    return start;
  }
}

/** Whether these bytes begin as a component or a core module: `'component'`, `'module'`, or null. */
function kindOf(bytes, start = 0) {
  if (bytes.length - start < PREAMBLE_BYTES) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, PREAMBLE_BYTES);
  if (view.getUint32(0, true) !== MAGIC) return null;
  const version = view.getUint32(4, true);
  if (version === CORE_VERSION) return 'module';
  return version === COMPONENT_VERSION ? 'component' : null;
}

/**
 * The sections between two positions, behind the preamble.
 * @returns {Generator<{id: number, header: number, start: number, end: number}>}
 */
function* sections(bytes, start, end) {
  const reader = new BinaryReader(bytes, start + PREAMBLE_BYTES, end);
  while (!reader.isAtEnd) {
    const header = reader.position;
    const id = reader.u8();
    const content = reader.skip(reader.u32());
    yield { id, header, start: content, end: reader.position };
  }
}

/** An unsigned integer in LEB128. */
function leb(number) {
  const bytes = [];
  do {
    const rest = Math.floor(number / 128);
    bytes.push((number % 128) | (rest ? 0x80 : 0));
    number = rest;
  } while (number);
  return bytes;
}

module.exports = { BinaryReader, MalformedWasm, PREAMBLE_BYTES, kindOf, leb, sections };
