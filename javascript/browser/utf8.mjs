// Replaces node:buffer.

const strict = new TextDecoder('utf-8', { fatal: true });

/** Whether bytes are UTF-8. */
export function isUtf8(bytes) {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
