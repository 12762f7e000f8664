'use strict';
// What follows a call that is over, or that is waited for: in browsers calls of extensions that run SQL
// return promises, and the engine is suspended until then.

/** `next(value)`, when the value is there. */
const after = (value, next) => (value instanceof Promise ? value.then(next) : next(value));

module.exports = { after };
