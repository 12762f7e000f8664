// Compiled, never run: the types allow what programs do, and refuse what they should not do.

import Database = require('..');
import { DatabaseSync, backup } from '../node-sqlite';

const db = new Database('x.db', { readonly: true, memory: 1 << 20, rows: 5, directories: ['/srv', { path: '/a', readonly: true }] });
const named = db.prepare<{ id: number; name: string }>('SELECT id, name FROM item WHERE id = ?');
const row = named.get(1);
const name: string | undefined = row?.name;
for (const each of named.iterate()) each.id.toFixed(1);
const { changes, lastInsertRowid } = db.prepare('INSERT INTO item VALUES(?)').run(name, 5n, Buffer.alloc(1), null, { a: 1 });
const sum: number = changes + Number(lastInsertRowid);
const add = db.transaction((a: number, b: number) => a + b + sum);
const total: number = add(1, 2) + add.immediate(3, 4);
db.function('f', { deterministic: true }, (x: number) => x + total).aggregate('g', { start: 0, step: (t: number, x: number) => t + x });
db.table('t', { columns: ['a'], *rows(n: number) { yield [n]; } });
db.table('u', function (...args) { return { columns: [this.table, ...args], *rows() {} }; });
void db.backup('y.db', { progress: ({ remainingPages }) => remainingPages }).then(({ totalPages }) => totalPages);
db.loadExtension('uuid', { grants: ['sql:ro'], time: 100 }).loadExtension(Buffer.alloc(1));
void db.loadExtension(new URL('https://example.org/x.wasm'), { sha256: '' }).then((it) => it.close());
try {
  db.exec('nonsense');
} catch (error) {
  if (error instanceof Database.LimitError) error.limit satisfies 'memory' | 'statementTime' | 'rows' | 'bytes';
  if (error instanceof Database.SqliteError) error.code.length;
}

const sync = new DatabaseSync(':memory:', { readOnly: true, statementTime: 100, returnArrays: true });
const found = sync.prepare('SELECT :a', { readBigInts: true }).get({ a: 1 })?.a;
const length: number | undefined = found instanceof Uint8Array ? found.length : undefined;
sync.function('h', { varargs: true }, (...args) => args.length);
sync.aggregate('j', { start: () => 0, step: (total: number, value: number) => total + value + (length ?? 0) });
void backup(sync, 'y.db', { rate: 5 }).then((pages) => pages.toFixed());

// @ts-expect-error
new DatabaseSync('x.db', { readonly: true });
// @ts-expect-error
db.loadExtension(new URL('https://example.org/x.wasm'));
// @ts-expect-error
new Database(5);
// @ts-expect-error
new Database('x.db', { readOnly: true });
// @ts-expect-error
db.exec();
