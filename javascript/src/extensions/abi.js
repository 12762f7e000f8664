'use strict';
// The canonical ABI of the component model, for the types of the contract: how values lie in memory,
// and in the arguments of functions. Values are lifted from one memory and lowered to another.
//
// A type has `size` and `align`, the kinds of its `flat` values (`i32`, `i64`, `f64`), and four
// functions. Bytes are checked when they are lifted: the other side may be malicious.

const { isUtf8 } = require('node:buffer');

/** An extension has sent what its types do not allow. */
class ContractViolation extends Error {
  constructor(what) {
    super(`it has sent ${what}`);
    this.name = 'ContractViolation';
  }
}

/** Nested lists of empty records would have any length without any memory. */
const MAX_ITEMS = 1 << 24;

const alignTo = (offset, align) => Math.ceil(offset / align) * align;

/** An integer that is one flat `i32`. */
const integer = (size, get, set, check = (number) => number) => ({
  size,
  align: size,
  flat: ['i32'],
  lift: (memory, at) => check(get(memory.view, at)),
  lower: (memory, at, value) => set(memory.view, at, value),
  liftFlat: (_memory, next) => check(next()),
  lowerFlat: (_memory, value, push) => push(value),
});

const u8 = integer(1, (view, at) => view.getUint8(at), (view, at, value) => view.setUint8(at, value), (n) => n & 0xff);
const s8 = integer(1, (view, at) => view.getInt8(at), (view, at, value) => view.setInt8(at, value), (n) => (n << 24) >> 24);
const u16 = integer(2, (view, at) => view.getUint16(at, true), (view, at, value) => view.setUint16(at, value, true), (n) => n & 0xffff);
const u32 = integer(4, (view, at) => view.getUint32(at, true), (view, at, value) => view.setUint32(at, value, true), (n) => n >>> 0);
const s32 = integer(4, (view, at) => view.getInt32(at, true), (view, at, value) => view.setInt32(at, value, true), (n) => n | 0);
const bool = integer(1, (view, at) => view.getUint8(at), (view, at, value) => view.setUint8(at, value ? 1 : 0), (n) => n !== 0);

/** An integer of 64 bits, as a bigint. */
const s64 = {
  size: 8,
  align: 8,
  flat: ['i64'],
  lift: (memory, at) => memory.view.getBigInt64(at, true),
  lower: (memory, at, value) => memory.view.setBigInt64(at, value, true),
  liftFlat: (_memory, next) => next(),
  lowerFlat: (_memory, value, push) => push(value),
};

const f64 = {
  size: 8,
  align: 8,
  flat: ['f64'],
  lift: (memory, at) => memory.view.getFloat64(at, true),
  lower: (memory, at, value) => memory.view.setFloat64(at, value, true),
  liftFlat: (_memory, next) => next(),
  lowerFlat: (_memory, value, push) => push(value),
};

const enumeration = (count) => {
  const check = (number) => {
    if (number >>> 0 >= count) throw new ContractViolation('a case that does not exist');
    return number;
  };
  return { ...u8, lift: (memory, at) => check(u8.lift(memory, at)), liftFlat: (_memory, next) => check(next()) };
};

/** Flags are integers; bits without a meaning are dropped. */
const flags = (count) => {
  const base = count > 8 ? u16 : u8;
  const mask = 2 ** count - 1;
  return {
    ...base,
    lift: (memory, at) => base.lift(memory, at) & mask,
    liftFlat: (_memory, next) => next() & mask,
  };
};

/** A type whose values are a pointer and a count in memory. */
const pointed = (liftAt, lowerAt) => ({
  size: 8,
  align: 4,
  flat: ['i32', 'i32'],
  lift: (memory, at) => liftAt(memory, memory.view.getUint32(at, true), memory.view.getUint32(at + 4, true)),
  lower: (memory, at, value) => {
    const [pointer, count] = lowerAt(memory, value);
    memory.view.setUint32(at, pointer, true);
    memory.view.setUint32(at + 4, count, true);
  },
  liftFlat: (memory, next) => {
    const pointer = next() >>> 0;
    return liftAt(memory, pointer, next() >>> 0);
  },
  lowerFlat: (memory, value, push) => lowerAt(memory, value).forEach(push),
});

/** Copies bytes out of a memory, which counts them. */
function copied(memory, pointer, bytes) {
  memory.check(pointer, bytes);
  memory.count?.(bytes);
  return Buffer.from(memory.u8.subarray(pointer, pointer + bytes));
}

/** Lists of integers or floats are copied as bytes. */
const plainList = (size) =>
  pointed(
    (memory, pointer, count) => {
      if (pointer % size !== 0) throw new ContractViolation('a list that is not aligned');
      return copied(memory, pointer, count * size);
    },
    (memory, bytes) => {
      if (bytes.length === 0) return [size, 0];
      const start = memory.allocate(bytes.length, size);
      memory.u8.set(bytes, start);
      return [start, bytes.length / size];
    },
  );

const bytes = plainList(1);

/** A text, as its bytes in UTF-8. */
const string = {
  ...bytes,
  lift: (memory, at) => checkedText(bytes.lift(memory, at)),
  liftFlat: (memory, next) => checkedText(bytes.liftFlat(memory, next)),
};

function checkedText(text) {
  if (!isUtf8(text)) throw new ContractViolation('a text that is not UTF-8');
  return text;
}

const list = (item) =>
  pointed(
    (memory, pointer, count) => {
      if (count > MAX_ITEMS || pointer % item.align !== 0) throw new ContractViolation('a malformed list');
      memory.check(pointer, count * item.size);
      memory.count?.(count * item.size);
      const items = new Array(count);
      for (let index = 0; index < count; index++) items[index] = item.lift(memory, pointer + index * item.size);
      return items;
    },
    (memory, items) => {
      if (items.length === 0) return [item.align, 0];
      const start = memory.allocate(items.length * item.size, item.align);
      items.forEach((value, index) => item.lower(memory, start + index * item.size, value));
      return [start, items.length];
    },
  );

/** A record as an array of its fields, or with names as an object. */
function fields(types) {
  let offset = 0;
  const offsets = types.map((type) => {
    const start = alignTo(offset, type.align);
    offset = start + type.size;
    return start;
  });
  const align = Math.max(1, ...types.map((type) => type.align));
  return { offsets, align, size: alignTo(offset, align), flat: types.flatMap((type) => type.flat) };
}

const record = (named) => {
  const names = Object.keys(named);
  const types = Object.values(named);
  const { offsets, ...layout } = fields(types);
  const object = (liftField) => Object.fromEntries(names.map((name, index) => [name, liftField(types[index], index)]));
  return {
    ...layout,
    lift: (memory, at) => object((type, index) => type.lift(memory, at + offsets[index])),
    lower: (memory, at, value) =>
      types.forEach((type, index) => type.lower(memory, at + offsets[index], value[names[index]])),
    liftFlat: (memory, next) => object((type) => type.liftFlat(memory, next)),
    lowerFlat: (memory, value, push) => types.forEach((type, index) => type.lowerFlat(memory, value[names[index]], push)),
  };
};

const real = new DataView(new ArrayBuffer(8));

function bitsOf(number) {
  real.setFloat64(0, number);
  return real.getBigUint64(0);
}

function ofBits(bits) {
  real.setBigUint64(0, BigInt.asUintN(64, bits));
  return real.getFloat64(0);
}

const join = (a, b) => (a === b || b === undefined ? a : a === undefined ? b : 'i64');

/** A flat value as another kind: cases of a variant share their flat values. */
function toJoined(value, from, to) {
  if (from === to) return value;
  return from === 'f64' ? bitsOf(value) : BigInt(value >>> 0);
}

function fromJoined(value, from, to) {
  if (from === to) return value;
  return to === 'f64' ? ofBits(value) : Number(BigInt.asUintN(32, value));
}

/** A variant: `{ tag, value }`. A case without content has the type null. */
function variant(cases) {
  const some = cases.filter(Boolean);
  const align = Math.max(1, ...some.map((type) => type.align));
  const payload = alignTo(1, align);
  const size = alignTo(payload + Math.max(0, ...some.map((type) => type.size)), align);
  const count = Math.max(0, ...some.map((type) => type.flat.length));
  const joined = Array.from({ length: count }, (_, index) =>
    some.map((type) => type.flat[index]).reduce((a, b) => join(a, b)),
  );
  const checked = (tag) => {
    if (tag >>> 0 >= cases.length) throw new ContractViolation('a case that does not exist');
    return tag;
  };
  return {
    size,
    align,
    flat: ['i32', ...joined],
    lift: (memory, at) => {
      const tag = checked(memory.u8[at]);
      return { tag, value: cases[tag]?.lift(memory, at + payload) };
    },
    lower: (memory, at, { tag, value }) => {
      memory.u8[at] = tag;
      cases[tag]?.lower(memory, at + payload, value);
    },
    liftFlat: (memory, next) => {
      const tag = checked(next());
      const values = joined.map(() => next());
      let index = 0;
      const flat = cases[tag]?.flat ?? [];
      const value = cases[tag]?.liftFlat(memory, () => fromJoined(values[index], joined[index], flat[index++]));
      return { tag, value };
    },
    lowerFlat: (memory, { tag, value }, push) => {
      push(tag);
      const values = [];
      cases[tag]?.lowerFlat(memory, value, (flat) => values.push(flat));
      joined.forEach((kind, index) => {
        if (index < values.length) push(toJoined(values[index], cases[tag].flat[index], kind));
        else push(kind === 'i64' ? 0n : 0);
      });
    },
  };
}

/** Null, or the value. */
function option(type) {
  const base = variant([null, type]);
  const out = ({ tag, value }) => (tag === 0 ? null : value);
  const into = (value) => (value === null ? { tag: 0 } : { tag: 1, value });
  return {
    ...base,
    lift: (memory, at) => out(base.lift(memory, at)),
    lower: (memory, at, value) => base.lower(memory, at, into(value)),
    liftFlat: (memory, next) => out(base.liftFlat(memory, next)),
    lowerFlat: (memory, value, push) => base.lowerFlat(memory, into(value), push),
  };
}

/** `{ tag: 0, value }` for a success and `{ tag: 1, value }` for a failure. */
const result = (ok, error) => variant([ok, error]);

module.exports = {
  ContractViolation, bool, bytes, enumeration, f64, flags, list, option, plainList, record, result,
  s32, s64, s8, string, u16, u32, u8, variant,
};
