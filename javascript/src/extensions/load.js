'use strict';
// `loadExtension` of Node: from a name, path, URL or bytes to an extension that SQL can use.

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const { root } = require('../package-root.js');
const { fetched, prepared, readOptions, register } = require('./loading.js');
const { MAX_FILE_BYTES } = require('./package.js');

/** The extensions and engines that come with the package. */
const SHIPPED = path.join(root, 'extensions');
const PLAIN_NAME = /^[A-Za-z0-9_]+$/;

const SYSTEM = {
  variable: (name) => (Object.hasOwn(process.env, name) ? process.env[name] : undefined),
  directory: (name) => path.resolve(name),
  engine: engineFile,
};

/** The file of an engine for scripts. */
function engineFile(engine) {
  const file = path.join(SHIPPED, 'engines', `${engine}.wasm`);
  if (!fs.existsSync(file)) throw new Error(`it is a script for the engine \`${engine}\`, which this package does not have`);
  return fs.readFileSync(file);
}

/** What the shipped extensions are granted, by the hashes of their files. */
function shippedGrants(sha256) {
  const file = path.join(SHIPPED, 'grants.json');
  const known = JSON.parse(fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '{}');
  return Object.hasOwn(known, sha256) ? known[sha256] : [];
}

/** The bytes of the file of a name or path. A device has no end, and a pipe would wait for its other one. */
function read(source) {
  const file = PLAIN_NAME.test(source) ? path.join(SHIPPED, `${source}.wasm`) : path.resolve(source);
  const status = fs.statSync(file);
  if (!status.isFile()) throw new Error(`${file} is not a file`);
  if (status.size > MAX_FILE_BYTES) throw new Error(`${file} has more than ${MAX_FILE_BYTES} bytes`);
  return fs.readFileSync(file);
}

/**
 * Loads an extension.
 * @param {string | URL | Uint8Array} source
 * @returns {Promise<void> | void} A promise for a URL.
 */
function loadExtension(connection, dispatch, source, options) {
  const given = readOptions(options);
  if (source instanceof URL) {
    return fetched(source, given.sha256, MAX_FILE_BYTES).then((bytes) => {
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
  return load(connection, dispatch, read(source), given);
}

function load(connection, dispatch, bytes, given) {
  const hash = crypto.createHash('sha256').update(bytes).digest('hex');
  register(connection, dispatch, prepared(dispatch, bytes, hash, given, shippedGrants(hash), SYSTEM));
}

module.exports = { loadExtension };
