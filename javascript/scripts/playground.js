'use strict';
// The playground: static files for any file server.
//
//   node scripts/playground.js MODULES BUILT DIRECTORY   BUILT has cli.wasm; the rest of it is in the package already

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const { largestCoreModule } = require('../src/wasm/component.js');
const { withoutCustomSections } = require('../src/wasm/strip.js');
const { bundleBrowser } = require('./browser.js');

const PACKAGE = path.join(__dirname, '..');

const HTML = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="content-security-policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; connect-src 'self'; worker-src 'self'">
<title>SQLite playground</title>
<link rel="stylesheet" href="playground.css">
<div id="app"></div>
<script type="module" src="playground.js"></script>
</html>
`;

/** The extensions with what they are granted, as an index for the page. */
function copyExtensions(directory) {
  const from = path.join(PACKAGE, 'extensions');
  const grants = JSON.parse(fs.readFileSync(path.join(from, 'grants.json'), 'utf8'));
  const names = fs.readdirSync(from).filter((name) => name.endsWith('.wasm')).map((name) => path.basename(name, '.wasm'));
  fs.mkdirSync(directory, { recursive: true });
  const entries = names.map((name) => {
    const bytes = fs.readFileSync(path.join(from, `${name}.wasm`));
    fs.writeFileSync(path.join(directory, `${name}.wasm`), bytes);
    const sha256 = crypto.createHash('sha256').update(bytes).digest('hex');
    return { name, sha256, grants: grants[sha256] ?? [] };
  });
  // Those that need files have no use in a page.
  const usable = entries.filter((entry) => !entry.grants.some((grant) => grant.startsWith('dir:')));
  fs.writeFileSync(path.join(directory, 'index.json'), `${JSON.stringify(usable, null, 1)}\n`);
}

/** The script that keeps all files for a start without the server. */
function writeOffline(directory) {
  const files = fs.readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(directory, path.join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
  const hash = crypto.createHash('sha256');
  for (const file of files) hash.update(fs.readFileSync(path.join(directory, file)));
  const script = fs.readFileSync(path.join(PACKAGE, 'page/offline.js'), 'utf8');
  const constants = `const FILES = ${JSON.stringify(['./', ...files])};\nconst CACHE = 'playground-${hash.digest('hex').slice(0, 16)}';\n`;
  fs.writeFileSync(path.join(directory, 'offline.js'), constants + script);
}

async function playground(modules, built, directory) {
  const esbuild = require(path.join(modules, 'esbuild'));
  fs.rmSync(directory, { recursive: true, force: true });
  await bundleBrowser(esbuild, directory, { shell: 'shell-worker.mjs' });
  await esbuild.build({
    bundle: true, minify: true, format: 'esm', target: 'es2022', platform: 'browser', logLevel: 'warning', legalComments: 'none', charset: 'utf8',
    entryPoints: { playground: path.join(PACKAGE, 'page/playground.mjs') }, outdir: directory, nodePaths: [modules],
  });
  await esbuild.build({ bundle: true, minify: true, entryPoints: { playground: path.join(PACKAGE, 'page/playground.css') }, outdir: directory, nodePaths: [modules] });
  fs.mkdirSync(path.join(directory, 'engine'));
  fs.copyFileSync(path.join(PACKAGE, 'engine/engine.wasm'), path.join(directory, 'engine/engine.wasm'));
  const shell = withoutCustomSections(largestCoreModule(fs.readFileSync(path.join(built, 'cli.wasm'))));
  fs.writeFileSync(path.join(directory, 'engine/cli.wasm'), shell);
  copyExtensions(path.join(directory, 'extensions'));
  fs.writeFileSync(path.join(directory, 'index.html'), HTML);
  writeOffline(directory);
}

if (require.main === module) playground(...process.argv.slice(2).map((name) => path.resolve(name)));

module.exports = { playground };
