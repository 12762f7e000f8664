'use strict';
// A module without its custom sections: names for debuggers, and how it was made.

const { PREAMBLE_BYTES, sections } = require('./binary.js');

const CUSTOM_SECTION = 0;

/** All other sections as they are, one after the other. */
function withoutCustomSections(module) {
  const kept = [...sections(module, 0, module.length)].filter(({ id }) => id !== CUSTOM_SECTION);
  const parts = kept.map(({ header, end }) => module.subarray(header, end));
  return Buffer.concat([module.subarray(0, PREAMBLE_BYTES), ...parts]);
}

module.exports = { withoutCustomSections };
