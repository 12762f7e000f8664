'use strict';
// UTF-8. Short texts are the most frequent: a loop over their characters is faster than a call of
// the encoder or decoder.

const encoder = new TextEncoder();

/** Texts up to this length are tried character by character. */
const SHORT = 24;

/** Whether the bytes are all below 128. */
function isAscii(bytes, start, end) {
  for (let at = start; at < end; at++) if (bytes[at] > 127) return false;
  return true;
}

/**
 * @param {Buffer} bytes
 * @returns {string} Bytes that are not UTF-8 become U+FFFD.
 */
function decode(bytes, start, end) {
  if (end - start <= SHORT && isAscii(bytes, start, end)) return bytes.latin1Slice(start, end);
  return bytes.utf8Slice(start, end);
}

/** Writes a short text of ASCII. Returns false for any other, of which a part may be written. */
function encodeShort(text, bytes, at) {
  const length = text.length;
  if (length > SHORT) return false;
  for (let index = 0; index < length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 127) return false;
    bytes[at + index] = unit;
  }
  return true;
}

/** @returns {Uint8Array} */
const encode = (text) => encoder.encode(text);

/** Writes a text into space for three bytes for each of its units. Returns how many bytes it wrote. */
function encodeInto(text, bytes, at) {
  return encoder.encodeInto(text, bytes.subarray(at)).written;
}

module.exports = { decode, encode, encodeInto, encodeShort };
