'use strict';
// Inserts rows until it is killed, and prints the id of each row that was committed: FILE, journal mode. A row is
// larger than a page, so that a transaction has several.

const fs = require('node:fs');

const Database = require('../../src/index.js');

const [, , file, mode] = process.argv;
const db = new Database(file, { timeout: 120_000 });
db.pragma(`journal_mode = ${mode}`);
db.pragma('synchronous = NORMAL');
const last = db.prepare('SELECT max(n) FROM item').pluck();
const insert = db.prepare('INSERT INTO item VALUES(?, ?)');
const both = db.transaction((n) => {
  insert.run(n, 'x'.repeat(9000));
  db.prepare('UPDATE total SET n = n + 1').run();
});
for (;;) {
  const next = last.get() + 1;
  both.immediate(next);
  fs.writeSync(1, `${next}\n`);
}
