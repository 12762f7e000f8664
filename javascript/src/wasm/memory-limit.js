'use strict';
// A limit for the memory of a module, from outside: its declared maximum is lowered before it is
// compiled. The module cannot be persuaded to grow beyond that.

const { BinaryReader, MalformedWasm, leb, sections } = require('./binary.js');

const MEMORY_SECTION = 5;
const PAGE_BYTES = 64 << 10;
const MAX_PAGES = 1 << 16;

/** The module's own memory needs more than the limit. */
class MemoryTooSmall extends RangeError {
  constructor(bytes, neededBytes) {
    super(`a limit of ${bytes} is too low: it needs ${neededBytes} bytes of memory to start`);
  }
}

/** The longest new memory section is this much longer than the shortest one. */
const ROOM_BYTES = 16;

/**
 * @param {Uint8Array} module A core module with one memory of its own.
 * @param {number} bytes The limit; rounded down to pages of 64 KiB.
 * @returns {Uint8Array} A copy with the lower maximum.
 */
function withMemoryLimit(module, bytes) {
  const room = new Uint8Array(ROOM_BYTES + module.length);
  room.set(module, ROOM_BYTES);
  return limitMemory(room, bytes);
}

/**
 * The same without a copy: what precedes the memory section, a small part, moves.
 * @param {Uint8Array} room ROOM_BYTES of any content and the module.
 */
function limitMemory(room, bytes) {
  const module = room.subarray(ROOM_BYTES);
  const section = [...sections(module, 0, module.length)].find(({ id }) => id === MEMORY_SECTION);
  if (!section) throw new MalformedWasm('a module without a memory');
  const { minimum, maximum } = readMemory(module, section);
  const limit = Math.min(maximum, Math.floor(bytes / PAGE_BYTES));
  if (limit < minimum) throw new MemoryTooSmall(bytes, minimum * PAGE_BYTES);
  const content = [1, 1, ...leb(minimum), ...leb(limit)];
  const changed = [MEMORY_SECTION, ...leb(content.length), ...content];
  const start = ROOM_BYTES + section.end - changed.length - section.header;
  room.copyWithin(start, ROOM_BYTES, ROOM_BYTES + section.header);
  room.set(changed, start + section.header);
  return room.subarray(start);
}

function readMemory(module, section) {
  const reader = new BinaryReader(module, section.start, section.end);
  if (reader.u32() !== 1) throw new MalformedWasm('a module with several memories');
  const flags = reader.u8();
  // Memories that are shared, or have 64-bit addresses, set other bits.
  if (flags > 1) throw new MalformedWasm('a memory of another kind');
  const minimum = reader.u32();
  const maximum = flags === 1 ? reader.u32() : MAX_PAGES;
  if (!reader.isAtEnd || maximum > MAX_PAGES) throw new MalformedWasm('a memory section');
  return { minimum, maximum };
}

module.exports = { MemoryTooSmall, PAGE_BYTES, ROOM_BYTES, limitMemory, withMemoryLimit };
