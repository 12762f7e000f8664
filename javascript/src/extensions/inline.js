'use strict';
// Inline calls: short arguments and results cross in registers (`types.inline-value`), so that no
// memory is allocated for a call.

const { CODE } = require('../opcodes.js');
const { ContractViolation } = require('./abi.js');
const { after } = require('./after.js');
const { failed } = require('./extension.js');
const { UNFINISHED, output, request, result, unfinished } = require('./types.js');

const OUTPUT_ANSWER = result(output, unfinished);

/** Where `inline-value` is in `option` and `inline-outcome`, and its size. */
const PAYLOAD = 8;
const INLINE_BYTES = 72;
const OPTION_BYTES = PAYLOAD + INLINE_BYTES;
const OPTION_ALIGN = 8;
const MAX_INLINE_TEXT = 64;

/** The cases of `inline-outcome`. */
const OUTCOME = Object.freeze({ STORED: 0, DONE: 1, PENDING: 2 });

/** The classes of values. */
const CLASS = Object.freeze({ NULL: 0, INTEGER: 1, REAL: 2, TEXT: 3, BLOB: 4 });

/** The arguments of an inline call as values. */
function argumentsOf(heads, words) {
  const bytes = Buffer.alloc(MAX_INLINE_TEXT);
  words.forEach((word, index) => bytes.writeBigUInt64LE(BigInt.asUintN(64, word), 8 * index));
  const values = [];
  let position = 0;
  for (let index = 0; index < 4; index++) {
    const head = Number(BigInt.asUintN(16, heads >> BigInt(16 * index)));
    const tag = head & 0xff;
    const length = head >> 8;
    if (tag > CLASS.BLOB) break;
    if (tag === CLASS.NULL) values.push({ tag, low: 0, high: 0 });
    else if (tag < CLASS.TEXT) {
      values.push({ tag, low: bytes.readUInt32LE(position), high: bytes.readUInt32LE(position + 4) });
      position += 8;
    } else {
      values.push({ tag, bytes: Buffer.from(bytes.subarray(position, position + length)) });
      position += Math.ceil(length / 8) * 8;
    }
  }
  return values;
}

/** Stores an output as an inline value, if it is short. */
function storeInline(memory, at, { value, subtype }) {
  const { u8, view } = memory;
  const length = value.bytes?.length ?? 0;
  if (length > MAX_INLINE_TEXT) return false;
  u8.fill(0, at, at + INLINE_BYTES);
  view.setUint32(at, value.tag | (length << 8) | (subtype << 16), true);
  if (value.bytes) {
    u8.set(value.bytes, at + PAYLOAD);
  } else {
    view.setUint32(at + PAYLOAD, value.low, true);
    view.setUint32(at + PAYLOAD + 4, value.high, true);
  }
  return true;
}

class InlineCalls {
  /** @param {import('./dispatch.js').Dispatch} dispatch */
  constructor(dispatch) {
    this.dispatch = dispatch;
  }

  /** Calls the export for inline values. Returns false if there is none, or it traps. */
  #direct(extension, fn, heads, words, at) {
    const instance = extension.inline;
    if (!instance?.inline || fn >>> 0 >= extension.package.manifest.functions.length) return false;
    extension.usage.calls++;
    const { memory: target } = this.dispatch.engine;
    try {
      const source = instance.inline(fn, heads, ...words) >>> 0;
      instance.memory.check(source, OPTION_BYTES);
      const { u8 } = instance.memory;
      if (source % OPTION_ALIGN !== 0 || u8[source] > 1) throw new ContractViolation('a malformed inline value');
      if (u8[source] === 0) {
        target.u8[at] = OUTCOME.STORED;
        return true;
      }
      const tag = u8[source + PAYLOAD];
      const isValid = tag < CLASS.TEXT || (tag <= CLASS.BLOB && u8[source + PAYLOAD + 1] <= MAX_INLINE_TEXT);
      if (!isValid) throw new ContractViolation('a malformed inline value');
      u8.copy(target.u8, at + PAYLOAD, source + PAYLOAD, source + OPTION_BYTES);
      target.u8[at] = OUTCOME.DONE;
    } catch (error) {
      extension.pendingOutput = failed(CODE.ERROR, extension.trapped(error));
      target.u8[at] = OUTCOME.STORED;
    }
    return true;
  }

  call(handle, fn, heads, words, at) {
    const extension = this.dispatch.get(handle);
    if (this.#direct(extension, fn, heads, words, at)) return undefined;
    const answer = extension.call('scalar-call', [fn >>> 0, argumentsOf(heads, words), Buffer.alloc(0)]);
    return after(answer, (outcome) => this.#store(extension, outcome, at));
  }

  #store(extension, answer, at) {
    const { memory } = this.dispatch.engine;
    const { tag, value } = answer;
    if (tag === 0 && storeInline(memory, at + PAYLOAD, value)) {
      memory.u8[at] = OUTCOME.DONE;
    } else if (tag === 1 && value.tag === UNFINISHED.PENDING) {
      request.lower(memory, at + PAYLOAD, value.value);
      memory.u8[at] = OUTCOME.PENDING;
    } else {
      extension.pendingOutput = answer;
      memory.u8[at] = OUTCOME.STORED;
    }
  }

  /** The result of the last call that had none inline. */
  pending(handle, fn, at) {
    const extension = this.dispatch.get(handle);
    const stored = extension.pendingOutput;
    extension.pendingOutput = null;
    const answer = stored ?? extension.call('inline-pending-result', [fn >>> 0]);
    return after(answer, (outcome) => this.dispatch.store(OUTPUT_ANSWER, outcome, at));
  }
}

/** The imports for inline calls. */
function inlineImports(dispatch) {
  const calls = new InlineCalls(dispatch);
  return {
    'inline-call': (handle, fn, heads, a, b, c, d, e, f, g, h, at) =>
      calls.call(handle, fn, heads, [a, b, c, d, e, f, g, h], at),
    'inline-pending-result': (handle, fn, at) => calls.pending(handle, fn, at),
  };
}

module.exports = { inlineImports };
