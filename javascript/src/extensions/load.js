'use strict';
// `loadExtension`: from a name, path, URL or bytes to an extension that SQL can use.

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const { WORK } = require('../opcodes.js');
const { Extension } = require('./extension.js');
const { MAX_FILE_BYTES, Package, SHIPPED } = require('./package.js');
const { NEED } = require('./types.js');

const PLAIN_NAME = /^[A-Za-z0-9_]+$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** How the grant of a directory ends to which nothing is written. */
const READ_ONLY = ':ro';

const DEFAULT_MEMORY = 512 << 20;

/** Compiled extensions by the hash of their file and their limit. */
const packages = new Map();
const MAX_PACKAGES = 64;

/** What the shipped extensions are granted, by the hashes of their files. */
function shippedGrants(sha256) {
  const file = path.join(SHIPPED, 'grants.json');
  const known = JSON.parse(fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '{}');
  return Object.hasOwn(known, sha256) ? known[sha256] : [];
}

/** The file of a name or path. */
function fileOf(source) {
  return PLAIN_NAME.test(source) ? path.join(SHIPPED, `${source}.wasm`) : path.resolve(source);
}

function packageOf(bytes, memory) {
  const key = `${crypto.createHash('sha256').update(bytes).digest('hex')} ${memory}`;
  const known = packages.get(key);
  if (known) return known;
  const made = new Package(bytes, memory);
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

/** What is granted, from `'sql'`, `'sql:ro'`, `'env:NAME'`, `'dir:PATH'` and `'dir:PATH:ro'`. */
function granted(grants) {
  const result = { sql: 'none', environment: [], directories: [] };
  for (const grant of grants) {
    if (grant === 'sql') result.sql = 'write';
    else if (grant === 'sql:ro') result.sql = result.sql === 'write' ? 'write' : 'read';
    else if (typeof grant === 'string' && grant.startsWith('env:')) {
      const name = grant.slice('env:'.length);
      if (Object.hasOwn(process.env, name)) result.environment.push([name, process.env[name]]);
    } else if (typeof grant === 'string' && grant.startsWith('dir:')) {
      const isReadOnly = grant.endsWith(READ_ONLY);
      const name = grant.slice('dir:'.length, isReadOnly ? -READ_ONLY.length : undefined);
      result.directories.push({ path: path.resolve(name), isReadOnly });
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

/** Reads a URL, whose bytes must have a hash. */
async function fetched(url, sha256) {
  if (!sha256) throw new TypeError('an extension from a URL needs the "sha256" option');
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answers with status ${response.status}`);
  const chunks = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > MAX_FILE_BYTES) throw new Error(`${url} has more than ${MAX_FILE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Loads an extension.
 * @param {string | URL | Uint8Array} source
 * @returns {Promise<void> | void} A promise for a URL.
 */
function loadExtension(connection, dispatch, source, options) {
  const given = readOptions(options);
  if (source instanceof URL) {
    return fetched(source, given.sha256).then((bytes) => {
      connection.checkIdle();
      load(connection, dispatch, bytes, given);
    });
  }
  if (ArrayBuffer.isView(source)) {
    const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
    // A copy: others may write to these bytes while they are compiled.
    return load(connection, dispatch, Buffer.from(bytes), given);
  }
  if (typeof source !== 'string') {
    throw new TypeError('Expected first argument to be a string, URL or Uint8Array');
  }
  return load(connection, dispatch, fs.readFileSync(fileOf(source)), given);
}

function load(connection, dispatch, bytes, { grants, memory, time, sha256 }) {
  const hash = crypto.createHash('sha256').update(bytes).digest('hex');
  if (sha256 && hash !== sha256) throw new Error(`the extension has the SHA-256 ${hash}, and not ${sha256}`);
  const code = packageOf(bytes, memory);
  const all = [...shippedGrants(hash), ...grants];
  const allowed = granted(all);
  checkNeeds(code, all, allowed);
  const extension = dispatch.find(hash) ?? new Extension(code, allowed, { time });
  const name = `loaded_${hash}`;
  connection.run(() => dispatch.offering(name, extension, () => connection.program(WORK.LOAD_EXTENSION, name)));
}

module.exports = { loadExtension };
