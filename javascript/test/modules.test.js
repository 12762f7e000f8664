'use strict';
// The modules in C of `prebuilt`: each is for its processor, small, and needs nothing but Node and an old C library.

const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');

const PREBUILT = path.join(__dirname, '../prebuilt');
const MAX_BYTES = 50_000;

/** What readelf calls the processors, by Node's names. */
const MACHINES = { 'linux-x64': 'Advanced Micro Devices X86-64', 'linux-arm64': 'AArch64' };

/** The C library of Debian 10, the oldest system on which Node 20 runs. */
const NEWEST_LIBRARY = [2, 28];

const readelf = (option, file) =>
  execFileSync('readelf', ['-W', option, file], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });

const lines = (text, pattern) => [...text.matchAll(pattern)].map(([, found]) => found);

for (const platform of fs.readdirSync(PREBUILT)) {
  const file = path.join(PREBUILT, platform, 'system.node');

  test(`${platform}: processor, size and sections`, () => {
    assert.match(readelf('-h', file), new RegExp(`Machine: +${MACHINES[platform]}\n`));
    assert.ok(fs.statSync(file).size <= MAX_BYTES);
    assert.doesNotMatch(readelf('-l', file), /GNU_STACK.*RWE/);
  });

  test(`${platform}: libraries and symbols`, () => {
    assert.deepStrictEqual(lines(readelf('-d', file), /\(NEEDED\).*\[(.*)\]/g), ['libc.so.6']);
    const symbols = readelf('--dyn-syms', file);
    const undefinedSymbols = lines(symbols, /GLOBAL DEFAULT +UND (\S+)/g);
    const ofNode = undefinedSymbols.filter((name) => !name.includes('@'));
    assert.ok(ofNode.includes('napi_create_function'));
    assert.deepStrictEqual(ofNode.filter((name) => !/^napi_/.test(name)), []);
    const versions = lines(symbols, /@GLIBC_([\d.]+)/g).map((version) => version.split('.').map(Number));
    assert.ok(versions.length > 5);
    const newer = versions.filter(([major, minor]) => major > NEWEST_LIBRARY[0] || minor > NEWEST_LIBRARY[1]);
    assert.deepStrictEqual(newer, []);
    // Only what Node looks for.
    const exported = lines(symbols, /GLOBAL DEFAULT +\d+ (\S+)/g);
    assert.deepStrictEqual(exported.filter((name) => !/^napi_register_module_v1$|^node_api_module_get_api_version_v1$/.test(name)), []);
  });
}

test('there is one for this machine', () => {
  assert.ok(fs.existsSync(path.join(PREBUILT, `linux-${process.arch}`, 'system.node')));
});
