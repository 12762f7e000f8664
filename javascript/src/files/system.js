'use strict';
// The module in C for what node:fs lacks (native/system.c), where it loads.

const path = require('node:path');

const { root } = require('../package-root.js');

/** For tests, and for programs that want none of it. */
const DISABLING_VARIABLE = 'SQLITE_SANDBOX_NO_NATIVE';

function load() {
  if (process.platform !== 'linux') return { system: null, reason: `not for ${process.platform}` };
  if (process.env[DISABLING_VARIABLE]) return { system: null, reason: `${DISABLING_VARIABLE} is set` };
  const platform = `${process.platform}-${process.arch}`;
  try {
    const file = path.join(root, 'prebuilt', platform, 'system.node');
    return { system: require(file), reason: '' };
  } catch (error) {
    return { system: null, reason: `not loaded for ${platform} (${error.code ?? error.message})` };
  }
}

/**
 * `system` is null where the module does not load; `reason` says why.
 * @type {{ system: any, reason: string }}
 */
const { system, reason } = load();

module.exports = { system, reason };
