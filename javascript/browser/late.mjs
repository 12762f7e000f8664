// Replaces ../src/late.js: modules that a start does not evaluate.

import { Dispatch } from '../src/extensions/dispatch.js';
import * as functions from '../src/api/functions.js';
import * as tables from '../src/api/table-methods.js';
import * as extensions from './load.mjs';

const backup = {
  runBackup: async () => {
    throw new Error('there is no backup to a file in browsers; serialize() returns the bytes of a database');
  },
};

export { Dispatch, backup, extensions, functions, tables };
