'use strict';
// From the bytes of an extension to functions of SQL: its options, what it is granted, and what it needs.

const { WORK } = require('../opcodes.js');
const { Extension } = require('./extension.js');
const { Package } = require('./package.js');
const { NEED } = require('./types.js');

const SHA256 = /^[0-9a-f]{64}$/;

/** How the grant of a directory ends to which nothing is written. */
const READ_ONLY = ':ro';

const DEFAULT_MEMORY = 512 << 20;

/** Compiled extensions by the hash of their file and their limit. */
const packages = new Map();
const MAX_PACKAGES = 64;

function packageOf(bytes, sha256, memory, engine) {
  const key = `${sha256} ${memory}`;
  const known = packages.get(key);
  if (known) return known;
  const made = new Package(bytes, sha256, memory, engine);
  if (packages.size >= MAX_PACKAGES) packages.delete(packages.keys().next().value);
  packages.set(key, made);
  return made;
}

function readOptions(options = {}) {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('Expected second argument to be an options object');
  }
  const { grants = [], memory = DEFAULT_MEMORY, time = Infinity, sha256 } = options;
  if (!Array.isArray(grants)) throw new TypeError('Expected the "grants" option to be an array');
  for (const [key, value] of Object.entries({ memory, time })) {
    if (typeof value !== 'number' || !(value > 0)) {
      throw new TypeError(`Expected the "${key}" option to be a positive number`);
    }
  }
  if (sha256 !== undefined && !SHA256.test(sha256)) {
    throw new TypeError('Expected the "sha256" option to be 64 hexadecimal digits in lower case');
  }
  return { grants, memory, time, sha256 };
}

/**
 * What is granted, from `'sql'`, `'sql:ro'`, `'env:NAME'`, `'dir:PATH'` and `'dir:PATH:ro'`.
 * @param {{ variable: (name: string) => string | undefined, directory: (path: string) => string,
 *   engine: (name: string) => Uint8Array }} system
 */
function granted(grants, system) {
  const result = { sql: 'none', environment: [], directories: [] };
  for (const grant of grants) {
    if (grant === 'sql') result.sql = 'write';
    else if (grant === 'sql:ro') result.sql = result.sql === 'write' ? 'write' : 'read';
    else if (typeof grant === 'string' && grant.startsWith('env:')) {
      const name = grant.slice('env:'.length);
      const value = system.variable(name);
      if (value !== undefined) result.environment.push([name, value]);
    } else if (typeof grant === 'string' && grant.startsWith('dir:')) {
      const isReadOnly = grant.endsWith(READ_ONLY);
      const name = grant.slice('dir:'.length, isReadOnly ? -READ_ONLY.length : undefined);
      result.directories.push({ path: system.directory(name), isReadOnly });
    } else throw new TypeError(`unknown grant ${JSON.stringify(grant)}`);
  }
  return result;
}

/** Refuses an extension that needs what it is not granted. */
function checkNeeds({ name, manifest }, grants, allowed) {
  const refuse = (what, grant) => {
    throw new Error(`the extension \`${name}\` needs ${what}, which is not granted; ${grant}`);
  };
  for (const { tag, value } of manifest.needs) {
    if (tag === NEED.SQL && allowed.sql !== 'write') refuse('SQL', "grant it by { grants: ['sql'] }");
    if (tag === NEED.SQL_READ_ONLY && allowed.sql === 'none') {
      refuse('SQL that reads', "grant it by { grants: ['sql:ro'] }");
    }
    if (tag === NEED.DIRECTORY && allowed.directories.length === 0) {
      refuse('a directory', "grant it by { grants: ['dir:PATH:ro'] }, or without :ro to write too");
    }
    if (tag === NEED.ENVIRONMENT && !grants.includes(`env:${value}`)) {
      refuse(`the variable ${value}`, `grant it by { grants: ['env:${value}'] }`);
    }
  }
}

/** Collects the chunks of a response up to the longest file of an extension. */
async function fetched(url, sha256, maxBytes) {
  if (!sha256) throw new TypeError('an extension from a URL needs the "sha256" option');
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answers with status ${response.status}`);
  const chunks = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > maxBytes) throw new Error(`${url} has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Makes an extension ready for `register`.
 * @param {Uint8Array} bytes
 * @param {string} hash The SHA-256 of these bytes.
 * @param {ReturnType<typeof readOptions>} given
 * @param {string[]} known What such a file is granted in any case.
 */
function prepared(dispatch, bytes, hash, given, known, system) {
  const { grants, memory, time, sha256 } = given;
  if (sha256 && hash !== sha256) throw new Error(`the extension has the SHA-256 ${hash}, and not ${sha256}`);
  const code = packageOf(bytes, hash, memory, system.engine);
  const all = [...known, ...grants];
  const allowed = granted(all, system);
  checkNeeds(code, all, allowed);
  return { name: `loaded_${hash}`, extension: dispatch.find(hash) ?? new Extension(code, allowed, { time }) };
}

/** Lets SQLite load what was prepared. */
function register(connection, dispatch, { name, extension }) {
  connection.run(() => dispatch.offering(name, extension, () => connection.program(WORK.LOAD_EXTENSION, name)));
}

module.exports = { fetched, prepared, readOptions, register };
