// Who of the workers of all tabs has the files of a database open: the one that holds its Web Lock. When that one ends,
// in whatever way, the browser gives the lock to the next.

const PREFIX = 'sqlite-sandbox';

/** The lock of a database. */
const databaseLock = (name) => `${PREFIX}:database:${name}`;
/** The lock that a worker holds as long as it lives. */
const workerLock = (id) => `${PREFIX}:worker:${id}`;

export const channelName = (name) => `${PREFIX}:${name}`;

/**
 * Waits for the ownership of a database.
 * @param {() => Promise<void>} own Runs as owner; the ownership ends with it.
 * @param {AbortSignal} signal Ends the waiting.
 */
export function awaitOwnership(name, own, signal) {
  return navigator.locks.request(databaseLock(name), { signal }, own).catch((error) => {
    if (error.name !== 'AbortError') throw error;
  });
}

/** Shows others that this worker lives. Fulfilled when they can see it. */
export function showAlive(id) {
  return new Promise((shown) => {
    navigator.locks.request(workerLock(id), () => {
      shown();
      return new Promise(() => {});
    });
  });
}

/** Fulfilled when another worker has ended. */
export const awaitEnd = (id, signal) =>
  navigator.locks.request(workerLock(id), { signal }, () => true).catch(() => false);
