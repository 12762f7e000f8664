'use strict';
// What the libraries do on better-sqlite3: `node record.js` writes it anew.

const fs = require('node:fs');
const path = require('node:path');

const FILE = path.join(__dirname, 'expected.json');
const LIBRARIES = ['drizzle', 'knex', 'kysely'];

/** The outcomes of all calls, by library. */
async function runAll(Database) {
  const result = {};
  for (const name of LIBRARIES) result[name] = await require(`./${name}.js`)(Database);
  return result;
}

const recorded = () => JSON.parse(fs.readFileSync(FILE, 'utf8'));

/** One call in a line. */
const textOf = (outcomes) =>
  `{\n${Object.entries(outcomes).map(([name, calls]) => `"${name}": [\n${calls.map((call) => JSON.stringify(call)).join(',\n')}\n]`).join(',\n')}\n}\n`;

module.exports = { LIBRARIES, recorded, runAll };

if (require.main === module) runAll(require('better-sqlite3')).then((outcomes) => fs.writeFileSync(FILE, textOf(outcomes)));
