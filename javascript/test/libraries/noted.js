'use strict';
// What a library's calls have returned or thrown, as plain values that can be compared.

/** Bigints and buffers do not exist in JSON. */
const plain = (value) =>
  JSON.parse(
    JSON.stringify(value ?? null, (_key, part) => {
      if (typeof part === 'bigint') return `${part}n`;
      if (part?.type === 'Buffer') return `bytes ${Buffer.from(part.data).toString('hex')}`;
      return part;
    }),
  );

/** Runs a call, and adds its outcome to a list. */
const noted = (notes) => async (name, call) => {
  try {
    notes.push([name, plain(await call())]);
  } catch (error) {
    notes.push([name, { thrown: error.name, code: error.code ?? null, message: error.message }]);
  }
};

module.exports = { noted, plain };
