'use strict';
// The files of the package in an empty directory, for `npm pack`.
//
//   node scripts/stage.js VERSION DIRECTORY

const fs = require('node:fs');
const path = require('node:path');

const PACKAGE = path.join(__dirname, '..');

function stage(version, directory) {
  const manifest = JSON.parse(fs.readFileSync(path.join(PACKAGE, 'package.json'), 'utf8'));
  fs.rmSync(directory, { recursive: true, force: true });
  fs.mkdirSync(directory, { recursive: true });
  for (const name of manifest.files) {
    const from = name === 'LICENSE' ? path.join(PACKAGE, '..', name) : path.join(PACKAGE, name);
    fs.cpSync(from, path.join(directory, name), { recursive: true });
  }
  // Users need nothing of what tests need.
  const { devDependencies: _, scripts: __, private: ___, ...published } = manifest;
  fs.writeFileSync(path.join(directory, 'package.json'), `${JSON.stringify({ ...published, version }, null, 2)}\n`);
}

const [, , version, directory] = process.argv;
stage(version, path.resolve(directory));
