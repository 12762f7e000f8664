'use strict';
// The files of the package in an empty directory, for `npm pack`.
//
//   node scripts/stage.js VERSION DIRECTORY

const fs = require('node:fs');
const path = require('node:path');

const { bundleBrowser } = require('./browser.js');
const { bundle } = require('./bundle.js');

const PACKAGE = path.join(__dirname, '..');

/** Files of which all else is in the second bundle: what the thread of an extension runs, and the names of `node:sqlite`. */
const PARTS = {
  'node-sqlite.js': withoutComments(path.join(PACKAGE, 'src/node-sqlite.js')),
  'extensions/worker-main.js': `'use strict';\nrequire('../late.js').thread;\n`,
};

function withoutComments(file) {
  return fs.readFileSync(file, 'utf8').replace(/^(\/\/.*)?\n/gm, '');
}

async function stage(version, directory) {
  const manifest = JSON.parse(fs.readFileSync(path.join(PACKAGE, 'package.json'), 'utf8'));
  fs.rmSync(directory, { recursive: true, force: true });
  fs.mkdirSync(directory, { recursive: true });
  for (const name of manifest.files.filter((it) => it !== 'src' && it !== 'browser')) {
    const from = name === 'LICENSE' ? path.join(PACKAGE, '..', name) : path.join(PACKAGE, name);
    fs.cpSync(from, path.join(directory, name), { recursive: true });
  }
  await bundle(path.join(directory, 'src'));
  await bundleBrowser(require('esbuild'), directory);
  fs.mkdirSync(path.join(directory, 'src/extensions'));
  for (const [name, text] of Object.entries(PARTS)) fs.writeFileSync(path.join(directory, 'src', name), text);
  // Users need nothing of what tests need.
  const { devDependencies: _, scripts: __, private: ___, ...published } = manifest;
  fs.writeFileSync(path.join(directory, 'package.json'), `${JSON.stringify({ ...published, version }, null, 2)}\n`);
}

if (require.main === module) stage(process.argv[2], path.resolve(process.argv[3]));

module.exports = { stage };
