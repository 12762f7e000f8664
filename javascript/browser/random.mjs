// Random bytes from the browser, instead of ../src/host/random.js.

/** Most bytes of one call of the browser. */
const MAX_BYTES = 65536;

export function fill(bytes, start, count) {
  for (let done = 0; done < count; done += MAX_BYTES) {
    crypto.getRandomValues(bytes.subarray(start + done, start + Math.min(count, done + MAX_BYTES)));
  }
}

export const fillSeed = fill;
