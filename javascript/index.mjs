// The same module for `import`: CommonJS and ESM share one instance. By `require`, since an import of CommonJS first reads
// the source for the names of its exports, which takes longer than all else at the start.
import { createRequire } from 'node:module';

const Database = createRequire(import.meta.url)('./src/index.js');

export default Database;
export { Database };
export const { LimitError, SqliteError } = Database;
