// Errors between workers, as what a message can have.

/** The error of a statement that its user has stopped. */
export const interrupted = (message) => Object.assign(new Error(message), { name: 'SqliteError', code: 'SQLITE_INTERRUPT' });

export const notBegun = () => interrupted('the statement was stopped before it began');

/** Own properties of errors that the client has too. */
const PROPERTIES = ['code', 'offset', 'limit', 'value'];

export function packed(error) {
  const result = { name: error?.name ?? 'Error', message: String(error?.message ?? error) };
  for (const property of PROPERTIES) if (error?.[property] !== undefined) result[property] = error[property];
  return result;
}

export function unpacked({ name, message, ...properties }) {
  const error = Object.assign(new Error(message), properties);
  Object.defineProperty(error, 'name', { value: name, configurable: true });
  return error;
}
