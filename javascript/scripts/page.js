'use strict';
// The page as one file of HTML, whose policy can name the hashes of its only script and style; and compressed, as the
// server sends it.
//
//   node scripts/page.js MODULES DIRECTORY   with what browser/package.json lists in MODULES; to DIRECTORY/page.html

const fs = require('node:fs');
const path = require('node:path');
const zlib = require('node:zlib');

const PAGE = path.join(__dirname, '../page');

/** What the page may weigh on its way. */
const MAX_COMPRESSED = 350 << 10;

const html = (style, script) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>SQLite</title>
<style>${style}</style>
<div id="app"></div>
<script>${script}</script>
</html>
`;

const OPTIONS = { bundle: true, minify: true, write: false, target: 'es2022', platform: 'browser', logLevel: 'warning', legalComments: 'none', charset: 'utf8' };

/** The text that esbuild makes of an entry. */
async function built(esbuild, modules, entry) {
  const { outputFiles } = await esbuild.build({ ...OPTIONS, format: 'iife', entryPoints: [path.join(PAGE, entry)], nodePaths: [modules] });
  return outputFiles[0].text.trim();
}

/** Writes a file that has not these bytes yet: Cargo compiles the server again where a time is newer. */
function put(file, bytes) {
  if (!fs.existsSync(file) || !fs.readFileSync(file).equals(bytes)) fs.writeFileSync(file, bytes);
}

async function bundlePage(esbuild, modules, directory) {
  const [style, script] = [await built(esbuild, modules, 'style.css'), await built(esbuild, modules, 'server.mjs')];
  const page = Buffer.from(html(style, script));
  const compressed = zlib.gzipSync(page, { level: 9 });
  if (compressed.length > MAX_COMPRESSED) throw new Error(`the page has ${compressed.length} bytes compressed; ${MAX_COMPRESSED} are allowed`);
  fs.mkdirSync(directory, { recursive: true });
  put(path.join(directory, 'page.html'), page);
  put(path.join(directory, 'page.html.gz'), compressed);
  return { page: page.length, compressed: compressed.length };
}

if (require.main === module) {
  const [modules, directory] = process.argv.slice(2).map((name) => path.resolve(name));
  bundlePage(require(path.join(modules, 'esbuild')), modules, directory).then(
    ({ page, compressed }) => console.log(`page.html: ${page} bytes, ${compressed} compressed`),
    (error) => {
      console.error(`error: ${error.message}`);
      process.exitCode = 1;
    },
  );
}

module.exports = { bundlePage };
