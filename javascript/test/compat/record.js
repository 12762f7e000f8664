'use strict';
// What better-sqlite3 does in each case, as a list of hashes: `node record.js` writes it anew.

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const FILE = path.join(__dirname, 'expected.txt');

const hashOf = (outcome) => crypto.createHash('sha256').update(JSON.stringify(outcome)).digest('hex').slice(0, 10);

/** Names of cases can have any characters. */
const lineOf = (name, outcome) => `${hashOf(outcome)} ${JSON.stringify(name)}`;

/** The hashes by the names of the cases. */
function recorded() {
  const lines = fs.readFileSync(FILE, 'utf8').trimEnd().split('\n');
  return new Map(lines.map((line) => [JSON.parse(line.slice(11)), line.slice(0, 10)]));
}

module.exports = { hashOf, recorded };

if (require.main === module) {
  const { runAll } = require('./run.js');
  runAll(require('better-sqlite3')).then((outcomes) => {
    fs.writeFileSync(FILE, [...outcomes].map(([name, outcome]) => `${lineOf(name, outcome)}\n`).join(''));
    process.exit();
  });
}
