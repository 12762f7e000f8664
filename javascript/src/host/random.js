'use strict';
// Random bytes from the system.

const fs = require('node:fs');

const DEVICE = '/dev/urandom';

/** node:crypto, which is loaded when it is used: that takes 5 ms. */
function fill(bytes, start, count) {
  require('node:crypto').randomFillSync(bytes, start, count);
}

/** For the seed of an engine, which is read once: the system's file, or node:crypto where there is none. */
function fillSeed(bytes, start, count) {
  let device;
  try {
    device = fs.openSync(DEVICE, 'r');
  } catch {
    return fill(bytes, start, count);
  }
  try {
    const isWhole = fs.readSync(device, bytes, start, count) === count;
    return isWhole ? undefined : fill(bytes, start, count);
  } finally {
    fs.closeSync(device);
  }
}

module.exports = { fill, fillSeed };
