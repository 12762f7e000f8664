'use strict';
// SQLite in a sandbox, with the interface of better-sqlite3.

const { Database } = require('./api/database.js');
const { LimitError, SqliteError } = require('./api/errors.js');

module.exports = Database;
module.exports.default = Database;
module.exports.Database = Database;
module.exports.SqliteError = SqliteError;
module.exports.LimitError = LimitError;
