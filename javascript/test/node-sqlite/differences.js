'use strict';
// Where the outcome of a case is not that of `node:sqlite`, and why. docs/javascript.md has the same table.

module.exports = {
  'changes of a definition': 'a statement that changes nothing has no changes, not those of the last one',
  errstr: 'the name of the code instead of a text for it',
  'names that differ in their first character': 'the first of them gets the value',
  'a statement that begins again': 'a statement whose rows are read cannot be run',
  'SQL inside a function': 'a function cannot use its database',
  'it returns a promise': 'every value that is not an SQL value has the same message',
  'it returns a bigint that is too large': 'every value that is not an SQL value has the same message',
  'a constructor without new': 'the message is the one of classes',
  'own properties of a database': 'there are no limits of SQLite',
  'what the module exports': 'there are no sessions',
};
