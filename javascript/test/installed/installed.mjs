// The same by `import`: both have the same classes.
import assert from 'node:assert';
import { createRequire } from 'node:module';
import Database, { LimitError, SqliteError } from 'sqlite-sandbox';
import { DatabaseSync } from 'sqlite-sandbox/node-sqlite';

const required = createRequire(import.meta.url)('sqlite-sandbox');
assert.strictEqual(required, Database);
assert.ok(new LimitError('rows', 1) instanceof SqliteError);
const db = new Database('installed.db', { rows: 1 });
assert.strictEqual(db.prepare('SELECT name FROM item').pluck().get(), 'first');
db.close();
const sync = new DatabaseSync('installed.db', { readOnly: true });
assert.deepStrictEqual({ ...sync.prepare('SELECT name FROM item WHERE id = :id').get({ id: 1 }) }, { name: 'first' });
sync.close();
