'use strict';
// The types of wit/extension and wit/host/dispatch.wit.

const {
  ContractViolation, bool, bytes, enumeration, f64, flags, list, option, plainList, record, result,
  s32, s64, s8, string, u32, u8, variant,
} = require('./abi.js');

/** The classes of `types.value`. */
const CLASS = Object.freeze({ NULL: 0, INTEGER: 1, REAL: 2, TEXT: 3, BLOB: 4 });

const PAYLOAD = 8;
const words = new DataView(new ArrayBuffer(8));

/**
 * `types.value`, by hand since most time goes to it: `{ tag, low, high }` for integers and reals, `{ tag, bytes }` for
 * texts and blobs.
 */
const value = {
  size: 16,
  align: 8,
  flat: ['i32', 'i64', 'i32'],
  lift: (memory, at) => {
    const { view } = memory;
    const tag = view.getUint8(at);
    const low = view.getUint32(at + PAYLOAD, true);
    const high = view.getUint32(at + PAYLOAD + 4, true);
    return liftValue(memory, tag, low, high, high);
  },
  lower: (memory, at, { tag, low, high, bytes: content }) => {
    if (tag < CLASS.TEXT) {
      const { view } = memory;
      view.setUint8(at, tag);
      view.setUint32(at + PAYLOAD, low, true);
      view.setUint32(at + PAYLOAD + 4, high, true);
    } else {
      memory.view.setUint8(at, tag);
      bytes.lower(memory, at + PAYLOAD, content);
    }
  },
  liftFlat: (memory, next) => {
    const tag = next();
    words.setBigInt64(0, next(), true);
    const low = words.getUint32(0, true);
    return liftValue(memory, tag, low, words.getUint32(4, true), next() >>> 0);
  },
  lowerFlat: (memory, { tag, low, high, bytes: content }, push) => {
    push(tag);
    if (tag < CLASS.TEXT) {
      words.setUint32(0, low, true);
      words.setUint32(4, high, true);
      push(words.getBigInt64(0, true));
      push(0);
      return;
    }
    const flat = [];
    bytes.lowerFlat(memory, content, (number) => flat.push(number));
    push(BigInt(flat[0]));
    push(flat[1]);
  },
};

/** An integer or real is two words, a text or blob its address and count. */
function liftValue(memory, tag, low, high, count) {
  if (tag < CLASS.TEXT) return { tag, low, high };
  if (tag > CLASS.BLOB) throw new ContractViolation('a value of no class');
  memory.check(low, count);
  memory.count?.(count);
  return { tag, bytes: Buffer.from(memory.u8.subarray(low, low + count)) };
}

const sqlError = record({ code: s32, message: string });
const output = record({ value, subtype: u8 });
const values = list(value);
const numbers = plainList(4);

const sqlFunction = record({
  name: string,
  arguments: s8,
  kind: enumeration(4),
  encoding: enumeration(3),
  flags: flags(6),
  risk: enumeration(3),
});

const manifest = record({
  name: string,
  version: string,
  description: string,
  functions: list(sqlFunction),
  collations: list(record({ name: string, encoding: enumeration(3) })),
  modules: list(
    record({ name: string, kind: enumeration(3), flags: flags(9), risk: enumeration(3), shadowNames: list(string) }),
  ),
  needs: list(variant([null, null, string, string])),
  connects: enumeration(2),
});

/** Tables. */

const connected = record({ table: u32, declaration: string, config: flags(4) });

const constraint = record({
  column: s32,
  operator: variant([...new Array(16).fill(null), u8]),
  usable: bool,
  right: option(value),
  collation: string,
  isInList: bool,
});

const indexInfo = record({
  constraints: list(constraint),
  order: list(record({ column: s32, descending: bool })),
  distinctness: enumeration(4),
  columnsUsed: s64,
});

const indexPlan = record({
  uses: list(record({ argument: u32, omit: bool, wholeList: bool })),
  number: s32,
  text: option(bytes),
  orderConsumed: bool,
  unique: bool,
  cost: f64,
  rows: s64,
});

const filterArgument = variant([value, values]);

const batch = record({
  rowIds: plainList(8),
  values,
  subtypes: bytes,
  required: bytes,
  rowIdError: option(sqlError),
  isLast: bool,
});

const change = variant([
  value,
  record({ rowId: value, columns: values }),
  record({ old: value, new: value, columns: list(option(value)) }),
]);

const transaction = variant([null, null, null, null, u32, u32, u32]);
const overload = record({ function: u32, operator: u8 });

/** `dispatch`. */

const request = record({
  operations: bytes,
  readOnly: bool,
  function: option(record({ handle: u32, function: sqlFunction })),
});

const unfinished = variant([sqlError, request]);
const loaded = record({ extension: u32, manifest });
const reply = result(bytes, sqlError);

const usage = record({
  name: string, calls: s64, batches: s64, requests: s64, time: s64, peakMemory: s64, starts: u32,
});

/** The cases of `unfinished`. */
const UNFINISHED = Object.freeze({ FAILED: 0, PENDING: 1 });

/** The cases of `need`. */
const NEED = Object.freeze({ SQL: 0, SQL_READ_ONLY: 1, DIRECTORY: 2, ENVIRONMENT: 3 });

module.exports = {
  NEED, UNFINISHED, batch, bool, bytes, change, connected, enumeration, filterArgument, indexInfo,
  indexPlan, list, loaded, manifest, numbers, option, output, overload, plainList, reply, request,
  result, s32, s64, sqlError, sqlFunction, string, transaction, u32, unfinished, usage, value, values,
};
