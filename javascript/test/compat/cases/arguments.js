'use strict';
// Wrong arguments of each method, and options of the constructor.

const WRONG = {
  nothing: [], undefined: [undefined], null: [null], number: [1], boolean: [true], object: [{}], array: [['SELECT 1']],
  function: [() => {}], symbol: [Symbol('s')], boxed: [Object('SELECT 1')], buffer: [Buffer.from('SELECT 1')],
};

const cases = {};

for (const method of ['prepare', 'exec', 'pragma', 'transaction', 'function', 'aggregate', 'table', 'serialize']) {
  for (const [name, args] of Object.entries(WRONG)) {
    if (method === 'transaction' && name === 'function') continue;
    if (method === 'serialize' && ['nothing', 'undefined', 'null', 'object', 'array', 'buffer', 'boxed'].includes(name)) continue;
    cases[`${method}(${name})`] = ({ db }) => db[method](...args);
  }
}

const SECOND = {
  'function(name, null)': (db) => db.function('f', null),
  'function(empty)': (db) => db.function('', () => 1),
  'function(options number)': (db) => db.function('f', 5, () => 1),
  'function(option string)': (db) => db.function('f', { deterministic: 'yes' }, () => 1),
  'function(varargs number)': (db) => db.function('f', { varargs: 1 }, () => 1),
  'function(null options)': (db) => db.function('f', null, () => 1).prepare('SELECT f()').pluck().get(),
  'function(101 arguments)': (db) => db.function('f', Object.defineProperty(() => 1, 'length', { value: 101 })),
  'function(negative length)': (db) => db.function('f', Object.defineProperty(() => 1, 'length', { value: -1 })),
  'function(fraction length)': (db) => db.function('f', Object.defineProperty(() => 1, 'length', { value: 1.5 })),
  'aggregate(no step)': (db) => db.aggregate('f', {}),
  'aggregate(step string)': (db) => db.aggregate('f', { step: 'x' }),
  'aggregate(inverse number)': (db) => db.aggregate('f', { step() {}, inverse: 1 }),
  'aggregate(result object)': (db) => db.aggregate('f', { step() {}, result: {} }),
  'aggregate(empty)': (db) => db.aggregate('', { step() {} }),
  'aggregate(null)': (db) => db.aggregate('f', null),
  'table(empty)': (db) => db.table('', { columns: ['a'], *rows() {} }),
  'table(number)': (db) => db.table('t', 5),
  'table(null)': (db) => db.table('t', null),
  'table(no rows)': (db) => db.table('t', { columns: ['a'] }),
  'table(no columns)': (db) => db.table('t', { *rows() {} }),
  'table(rows function)': (db) => db.table('t', { columns: ['a'], rows() {} }),
  'table(columns string)': (db) => db.table('t', { columns: 'a', *rows() {} }),
  'table(columns numbers)': (db) => db.table('t', { columns: [1], *rows() {} }),
  'table(same columns)': (db) => db.table('t', { columns: ['a', 'a'], *rows() {} }),
  'table(zero columns)': (db) => db.table('t', { columns: [], *rows() {} }),
  'table(parameters string)': (db) => db.table('t', { columns: ['a'], parameters: 'p', *rows() {} }),
  'table(same parameters)': (db) => db.table('t', { columns: ['a'], parameters: ['p', 'p'], *rows() {} }),
  'table(33 parameters)': (db) =>
    db.table('t', { columns: ['a'], parameters: Array.from({ length: 33 }, (_, i) => `p${i}`), *rows() {} }),
  'table(ambiguous)': (db) => db.table('t', { columns: ['a'], parameters: ['a'], *rows() {} }),
  'table(safeIntegers)': (db) => db.table('t', { columns: ['a'], safeIntegers: 1, *rows() {} }),
  'table(directOnly)': (db) => db.table('t', { columns: ['a'], directOnly: 1, *rows() {} }),
  'pragma(options number)': (db) => db.pragma('user_version', 5),
  'pragma(simple string)': (db) => db.pragma('user_version', { simple: 'yes' }),
  'pragma(null options)': (db) => db.pragma('user_version', null),
  'serialize(attached number)': (db) => db.serialize({ attached: 5 }),
  'serialize(attached empty)': (db) => db.serialize({ attached: '' }),
  'serialize(unknown)': (db) => db.serialize({ attached: 'nope' }).length >= 0,
  'defaultSafeIntegers(number)': (db) => db.defaultSafeIntegers(1),
  'unsafeMode(string)': (db) => db.unsafeMode('x'),
  'Statement constructor': (db) => new (db.prepare('SELECT 1').constructor)(db, 'SELECT 1'),
};
for (const [name, run] of Object.entries(SECOND)) cases[name] = ({ db }) => run(db);

for (const method of ['pluck', 'expand', 'raw', 'safeIntegers']) {
  for (const [name, args] of Object.entries({ ...WRONG, true: [true], false: [false] })) {
    cases[`statement.${method}(${name})`] = ({ db }) => db.prepare('SELECT 1 AS a, 2 AS b')[method](...args).get();
    if (method === 'safeIntegers') continue;
    if (name === 'nothing') cases[`statement.${method}() without rows`] = ({ db }) => db.prepare('BEGIN')[method]();
  }
}

const OPTIONS = {
  'options string': [':memory:', 'x'],
  'options null': [':memory:', null],
  'readOnly misspelled': [':memory:', { readOnly: true }],
  'readonly number': [':memory:', { readonly: 1 }],
  'readonly memory': [':memory:', { readonly: true }],
  'readonly temporary': ['', { readonly: true }],
  'fileMustExist string': [':memory:', { fileMustExist: 'x' }],
  'timeout string': [':memory:', { timeout: '1' }],
  'timeout negative': [':memory:', { timeout: -1 }],
  'timeout fraction': [':memory:', { timeout: 1.5 }],
  'timeout too large': [':memory:', { timeout: 2 ** 31 }],
  'timeout zero': [':memory:', { timeout: 0 }],
  'verbose string': [':memory:', { verbose: 'x' }],
  'verbose null': [':memory:', { verbose: null }],
  'verbose undefined': [':memory:', { verbose: undefined }],
  'name number': [5],
  'name object': [{}],
  'name undefined': [undefined],
  'name null': [null],
  'name with spaces': [' :memory: '],
  'name empty': [''],
  'a missing directory': ['/nonexistent-directory/x.db'],
  'a buffer that is no database': [Buffer.from('this is not a database'.repeat(100))],
  'an empty buffer': [Buffer.alloc(0)],
};
for (const [name, args] of Object.entries(OPTIONS)) {
  cases[`new Database: ${name}`] = ({ Database, attempt }) => {
    const db = new Database(...args);
    const used = attempt(() => db.exec('CREATE TABLE t(a); INSERT INTO t VALUES(1)').prepare('SELECT * FROM t').all());
    const { name: given, open, inTransaction, readonly, memory } = db;
    db.close();
    return [given, open, inTransaction, readonly, memory, used];
  };
}
cases['Database without new'] = ({ Database }) => {
  const db = Database(':memory:'); // eslint-disable-line new-cap
  return [db instanceof Database, db.close().open];
};
cases['a file that must exist'] = ({ Database, file }) => new Database(file('missing.db'), { fileMustExist: true });
cases['a readonly file that does not exist'] = ({ Database, file }) => new Database(file('none.db'), { readonly: true });
cases['a directory'] = ({ Database, file }) => new Database(file('.'));
cases['writing a readonly file'] = ({ Database, file, attempt }) => {
  const path = file('readonly.db');
  new Database(path).exec('CREATE TABLE t(a)').close();
  const db = new Database(path, { readonly: true });
  const outcome = [db.readonly, attempt(() => db.exec('INSERT INTO t VALUES(1)')), db.prepare('SELECT * FROM t').all()];
  db.close();
  return outcome;
};

module.exports = cases;
