'use strict';
// Adds to a counter, one transaction for each step: FILE, count of steps. Prints how many were done.

const Database = require('../../src/index.js');

const [, , file, count] = process.argv;
const db = new Database(file, { timeout: 120_000 });
const add = db.transaction(() => {
  const before = db.prepare('SELECT n FROM counter').pluck().get();
  db.prepare('UPDATE counter SET n = ?').run(before + 1);
  db.prepare('INSERT INTO step(who, n) VALUES(?, ?)').run(process.pid, before);
});
for (let step = 0; step < Number(count); step++) add.immediate();
console.log(count);
db.close();
