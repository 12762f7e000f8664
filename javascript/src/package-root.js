'use strict';
// The directory of the package. The bundle of all modules is in `src` too, so this holds there as well.

const path = require('node:path');

const root = path.join(__dirname, '..');

module.exports = { root };
