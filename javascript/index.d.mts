import Database from './index.d.ts';

export default Database;
export { Database };
export const LimitError: typeof Database.LimitError;
export const SqliteError: typeof Database.SqliteError;
