'use strict';
// Puts what was built elsewhere into the package: the engine's core module, extracted from its
// component without custom sections, and the shipped extensions as they are, with what they are granted.
//
//   node scripts/build.js DIRECTORY   with database.wasm and extensions/, such as target/release

const fs = require('node:fs');
const path = require('node:path');

const { largestCoreModule } = require('../src/wasm/component.js');
const { withoutCustomSections } = require('../src/wasm/strip.js');

const PACKAGE = path.join(__dirname, '..');

/** `grants.toml` of the shipped extensions: the grants of each by the hash of its file. */
function grantsOf(text) {
  const result = {};
  for (const block of text.split('[[extension]]').slice(1)) {
    const sha256 = /^sha256 = "([0-9a-f]{64})"$/m.exec(block)?.[1];
    const grants = /^grants = (\[.*\])$/m.exec(block)?.[1];
    if (!sha256 || !grants) throw new Error('grants.toml has an extension without a hash or grants');
    result[sha256] = JSON.parse(grants);
  }
  return result;
}

function emptied(name) {
  const directory = path.join(PACKAGE, name);
  fs.rmSync(directory, { recursive: true, force: true });
  fs.mkdirSync(directory);
  return directory;
}

function build(from) {
  const engine = emptied('engine');
  const component = fs.readFileSync(path.join(from, 'database.wasm'));
  fs.writeFileSync(path.join(engine, 'engine.wasm'), withoutCustomSections(largestCoreModule(component)));
  const extensions = emptied('extensions');
  const shipped = path.join(from, 'extensions');
  for (const name of fs.readdirSync(shipped).filter((file) => file.endsWith('.wasm'))) {
    fs.copyFileSync(path.join(shipped, name), path.join(extensions, name));
  }
  fs.cpSync(path.join(shipped, 'engines'), path.join(extensions, 'engines'), { recursive: true });
  const grants = grantsOf(fs.readFileSync(path.join(shipped, 'grants.toml'), 'utf8'));
  fs.writeFileSync(path.join(extensions, 'grants.json'), `${JSON.stringify(grants, null, 1)}\n`);
}

if (require.main === module) build(path.resolve(process.argv[2] ?? path.join(PACKAGE, '../target/release')));

module.exports = { grantsOf };
