// How values of SQL are shown and read.

const MAX_SHOWN = 300;
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export function kindOf(value) {
  if (value === null) return 'null';
  if (value instanceof Uint8Array) return 'blob';
  return typeof value === 'string' ? 'text' : 'number';
}

/** A value as a short text. */
export function shown(value) {
  if (value === null) return 'NULL';
  if (value instanceof Uint8Array) return `blob, ${value.length} bytes`;
  const text = String(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** A value as a text that loses nothing. */
export const whole = (value) => (value === null ? '' : value instanceof Uint8Array ? hex(value) : String(value));

/** What a user has typed, as a value of the kind that the column had or has. */
export function typed(text, type) {
  const isNumeric = /INT|REAL|FLOA|DOUB|NUM|DEC/i.test(type ?? '');
  if (!isNumeric || text.trim() === '' || Number.isNaN(Number(text))) return text;
  if (!/^\s*[+-]?\d+\s*$/.test(text)) return Number(text);
  const number = BigInt(text.trim());
  const isSmall = number <= BigInt(Number.MAX_SAFE_INTEGER) && number >= BigInt(Number.MIN_SAFE_INTEGER);
  return isSmall ? Number(number) : number;
}
