'use strict';
// A script as an extension: a component of custom sections alone, one of which names the engine that
// runs the script. As in host/runtime/src/contract/script.rs.

const { BinaryReader, kindOf, sections } = require('../wasm/binary.js');
const { VERSION } = require('./contract.js');
const t = require('./types.js');

const SECTION = 'sqlite-wasm:script';
const CUSTOM = 0;
const HEADER = /^([a-z0-9]{1,32}) ([0-9]{1,9})$/;
const MAX_HEADER_BYTES = 64;
const MAX_SOURCE_BYTES = 16 << 20;

/** The engine's function that loads a script. */
const LOAD = {
  export: `sqlite-wasm:extension/script@${VERSION}#load`,
  params: [t.bytes],
  returned: t.result(null, t.sqlError),
};

/** The content of a custom section with our name. */
function contentOf(bytes, { start, end }) {
  const reader = new BinaryReader(bytes, start, end);
  const length = reader.u32();
  const from = reader.skip(length);
  const name = Buffer.from(bytes.buffer, bytes.byteOffset + from, length).toString();
  return name === SECTION ? bytes.subarray(reader.position, end) : null;
}

/**
 * The script in the bytes of an extension's file; null for a component with code.
 * @returns {{ engine: string, source: Uint8Array } | null}
 */
function scriptOf(bytes) {
  if (kindOf(bytes) !== 'component') return null;
  const all = [...sections(bytes, 0, bytes.length)];
  const scripts = all.filter(({ id }) => id === CUSTOM).map((section) => contentOf(bytes, section)).filter(Boolean);
  if (scripts.length === 0) return null;
  if (scripts.length > 1) throw new Error('it has more than one script');
  if (all.some(({ id }) => id !== CUSTOM)) throw new Error('it has a script and code; build it again');
  const [content] = scripts;
  const line = content.subarray(0, MAX_HEADER_BYTES).indexOf('\n'.charCodeAt(0));
  const header = line < 0 ? null : HEADER.exec(Buffer.from(content.subarray(0, line)).toString('latin1'));
  if (!header) throw new Error('its section with a script is damaged; build it again');
  const source = content.subarray(line + 1);
  if (source.length > MAX_SOURCE_BYTES) throw new Error(`its script is longer than ${MAX_SOURCE_BYTES} bytes`);
  // The version without leading zeros, so that one engine has one name.
  return { engine: `${header[1]}-${Number(header[2])}`, source };
}

module.exports = { LOAD, scriptOf };
