'use strict';
// Where the outcome of a case is not that of better-sqlite3, and why. docs/javascript.md has the same table.

module.exports = [
  { cases: /serialize\(unknown\)/, why: 'better-sqlite3 reports a missing database as "Out of memory"' },
  { cases: /(bind|store) lone/, why: 'a lone surrogate becomes U+FFFD once, not three times' },
  { cases: /__proto__|SELECT t\.\*, u\.\*/, why: 'a column named __proto__ is a property; better-sqlite3 loses it' },
];
