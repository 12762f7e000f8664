'use strict';
// SQLite in a sandbox, with the interface of better-sqlite3.

const { Database } = require('./api/database.js');
const { LimitError, SqliteError } = require('./api/errors.js');
const { Statement } = require('./api/statement.js');

// The names stay where a bundle has others.
for (const [name, value] of Object.entries({ Database, LimitError, SqliteError, Statement })) {
  Object.defineProperty(value, 'name', { value: name, configurable: true });
}

module.exports = Database;
module.exports.default = Database;
module.exports.Database = Database;
module.exports.SqliteError = SqliteError;
module.exports.LimitError = LimitError;

// The thread of an extension begins here where all modules are one file.
Object.defineProperty(Database, Symbol.for('sqlite-sandbox.worker'), {
  value: () => require('./extensions/worker-main.js'),
});
