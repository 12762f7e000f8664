'use strict';
// `grants.toml` of the shipped extensions as JSON: the grants of each by the hash of its file.

/** @param {string} text */
function grantsOf(text) {
  const result = {};
  for (const block of text.split('[[extension]]').slice(1)) {
    const sha256 = /^sha256 = "([0-9a-f]{64})"$/m.exec(block)?.[1];
    const grants = /^grants = (\[.*\])$/m.exec(block)?.[1];
    if (!sha256 || !grants) throw new Error('an extension without a hash or grants');
    result[sha256] = JSON.parse(grants);
  }
  return result;
}

module.exports = { grantsOf };
