// The same module for `import`: CommonJS and ESM share one instance.
import Database from './src/index.js';

export default Database;
export { Database };
export const { LimitError, SqliteError } = Database;
