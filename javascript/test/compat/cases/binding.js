'use strict';
// Values of JavaScript as parameters, and back.

const VALUES = {
  zero: 0, negativeZero: -0, one: 1, minusOne: -1, fraction: 1.5, tiny: 5e-324, huge: 1.7e308, safe: 2 ** 53 - 1,
  large: 2 ** 53, larger: 2 ** 63, infinity: Infinity, minusInfinity: -Infinity, nan: NaN, bigZero: 0n, big: 123n,
  bigMax: 2n ** 63n - 1n, bigMin: -(2n ** 63n), tooBig: 2n ** 63n, tooSmall: -(2n ** 63n) - 1n, empty: '', text: 'text',
  unicode: 'žluťoučký 🐎 漢字', nul: 'a\0b', long: 'x'.repeat(5000), lone: 'a\ud800b', null: null, undefined: undefined,
  buffer: Buffer.from([0, 1, 255]), emptyBuffer: Buffer.alloc(0), uint8: new Uint8Array([1, 2]),
  uint16: new Uint16Array([1, 256]), dataView: new DataView(new ArrayBuffer(3)), float64: new Float64Array([1.5]),
  true: true, false: false, symbol: Symbol('s'), function: () => 1, date: new Date(0), regexp: /x/, map: new Map(),
  arrayBuffer: new ArrayBuffer(2), boxed: Object(1), class: new (class A {})(),
};

const cases = {};

for (const [name, value] of Object.entries(VALUES)) {
  cases[`bind ${name} anonymously`] = ({ db }) => db.prepare('SELECT ? AS v, typeof(?) AS t').get(value, value);
  cases[`bind ${name} in an array`] = ({ db }) => db.prepare('SELECT ? AS v').get([value]);
  cases[`bind ${name} by name`] = ({ db }) => db.prepare('SELECT @v AS v').get({ v: value });
  cases[`bind ${name} by bind()`] = ({ db }) => db.prepare('SELECT ? AS v').bind(value).get();
  cases[`store ${name}`] = ({ db }) => {
    db.exec('CREATE TABLE s(i INTEGER, r REAL, t TEXT, b BLOB, n)');
    db.prepare('INSERT INTO s VALUES(?1, ?1, ?1, ?1, ?1)').run({ 1: value });
    return db.prepare('SELECT *, typeof(i), typeof(r), typeof(t), typeof(b), typeof(n) FROM s').get();
  };
}

const FORMS = {
  'too few': ['SELECT ?, ?', [1]],
  'too many': ['SELECT ?', [1, 2]],
  'too many in an array': ['SELECT ?', [[1, 2]]],
  none: ['SELECT ?', []],
  'none wanted': ['SELECT 1', [1]],
  'arrays and values': ['SELECT ?, ?, ?', [1, [2, 3]]],
  'several arrays': ['SELECT ?, ?, ?', [[1], [2], [3]]],
  'empty array': ['SELECT 1 AS x', [[]]],
  'empty object': ['SELECT 1 AS x', [{}]],
  'two objects': ['SELECT @a, @b', [{ a: 1 }, { b: 2 }]],
  'names and values': ['SELECT ?, @a, ?', [1, { a: 2 }, 3]],
  'missing name': ['SELECT @a, @b', [{ a: 1 }]],
  'name without object': ['SELECT @a', [1]],
  'no arguments for names': ['SELECT @a', []],
  'more names than wanted': ['SELECT @a', [{ a: 1, b: 2 }]],
  'all prefixes': ['SELECT @a, :b, $c', [{ a: 1, b: 2, c: 3 }]],
  'same name, other prefixes': ['SELECT @a, :a, $a', [{ a: 1 }]],
  'repeated name': ['SELECT @a, @a', [{ a: 1 }]],
  'numbered': ['SELECT ?2, ?1', [{ 1: 'a', 2: 'b' }]],
  'numbered with a gap': ['SELECT ?3', [{ 3: 1 }]],
  'numbered by values': ['SELECT ?2, ?1', ['a', 'b']],
  'inherited name': ['SELECT @a', [Object.create({ a: 1 })]],
  'null prototype': ['SELECT @a', [Object.assign(Object.create(null), { a: 1 })]],
  'class instance for names': ['SELECT @a', [new (class { a = 1; })()]],
  'class instance for a value': ['SELECT ?', [new (class { a = 1; })()]],
  'proto name': ['SELECT @__proto__', [JSON.parse('{"__proto__": 5}')]],
  'constructor name': ['SELECT @constructor', [{}]],
  'nested array': ['SELECT ?', [[[1]]]],
  'sparse array': ['SELECT ?, ?', [[, 1]]], // eslint-disable-line no-sparse-arrays
};

for (const [name, [sql, args]] of Object.entries(FORMS)) {
  for (const method of ['get', 'all', 'run', 'bind']) {
    cases[`parameters: ${name} (${method})`] = ({ db }) => {
      const result = db.prepare(sql)[method](...args);
      return method === 'bind' ? result.get() : result;
    };
  }
}

cases['bound twice'] = ({ db }) => db.prepare('SELECT ?').bind(1).bind(2);
cases['bound, then with arguments'] = ({ db }) => db.prepare('SELECT ?').bind(1).get(2);
cases['bound after a failure'] = ({ db, attempt }) => {
  const statement = db.prepare('SELECT ? AS v');
  return [attempt(() => statement.bind()), statement.bind(3).get()];
};
cases['a bound buffer that changes'] = ({ db }) => {
  const buffer = Buffer.from('abc');
  const statement = db.prepare('SELECT ? AS v').bind(buffer);
  buffer[0] = 0;
  return statement.get();
};
cases['a throwing getter'] = ({ db, attempt }) => {
  const statement = db.prepare('SELECT @a, @b');
  const args = { a: 1, get b() { throw new Error('getter'); } };
  return [attempt(() => statement.get(args)), statement.get({ a: 1, b: 2 })];
};

module.exports = cases;
