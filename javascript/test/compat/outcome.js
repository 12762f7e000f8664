'use strict';
// The outcome of a case, in a form that can be compared and stored: what it returns or throws.

/** Values that JSON does not have. */
function plain(value, depth = 0) {
  if (depth > 8) return { deep: true };
  switch (typeof value) {
    case 'bigint':
      return { bigint: String(value) };
    case 'undefined':
      return { undefined: true };
    case 'function':
      return { function: value.name };
    case 'symbol':
      return { symbol: true };
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? value : { number: Object.is(value, -0) ? '-0' : String(value) };
    case 'object':
      break;
    default:
      return value;
  }
  if (value === null) return null;
  if (Buffer.isBuffer(value)) return { blob: value.toString('hex') };
  if (value instanceof Error) return errorOf(value);
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1));
  return { object: Reflect.ownKeys(value).map((key) => [String(key), plain(value[key], depth + 1)]) };
}

function errorOf(error) {
  const outcome = { error: error?.name ?? typeof error, message: error?.message ?? String(error) };
  if (error?.code !== undefined) outcome.code = error.code;
  return outcome;
}

/** Runs a case. What its parts throw can be caught by `attempt`, which returns it. */
async function outcomeOf(run, env) {
  try {
    return plain(await run(env));
  } catch (error) {
    return errorOf(error);
  }
}

/** The result of a function, or what it throws. */
function attempt(fn) {
  try {
    return plain(fn());
  } catch (error) {
    return errorOf(error);
  }
}

module.exports = { attempt, outcomeOf };
