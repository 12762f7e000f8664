// Types of `sqlite-sandbox/browser`.

export type Value = null | number | bigint | string | Uint8Array;

export interface Options {
  /** Most memory of the connection, in bytes. Default: 1 GiB. */
  memory?: number;
  /** Most time of one statement, in milliseconds. */
  statementTime?: number;
  /** Most rows that one statement returns. */
  rows?: number;
  /** Most bytes that one statement returns. */
  bytes?: number;
  /** Most bytes of temporary data, beside the memory. Default: 256 MiB. */
  temporary?: number;
  /** Where worker.js is, if it is not beside index.js. */
  worker?: string | URL;
  /** Where engine.wasm is, if it is not at ../engine/engine.wasm. */
  engine?: string | URL;
}

export interface Result {
  columns: { name: string; type: string | null }[];
  /** Integers above 2^53 are bigints. */
  rows: Value[][];
  /** There are more rows than were asked for. */
  isCut: boolean;
  changes: number;
  lastInsertRowid: number | bigint;
  isReadOnly: boolean;
  /** In milliseconds, in the worker. */
  time: number;
}

export interface ExtensionOptions {
  /** Of the file; a URL needs it. */
  sha256?: string;
  grants?: ('sql' | 'sql:ro')[];
  /** Most memory of the extension, in bytes. Default: 512 MiB. */
  memory?: number;
}

export class Database {
  private constructor();
  /** Runs all statements of a text. Returns a result for each. `signal` stops the statement that runs. */
  query(sql: string, params?: unknown[], options?: { rows?: number; signal?: AbortSignal }): Promise<Result[]>;
  exec(sql: string): Promise<void>;
  all(sql: string, ...params: unknown[]): Promise<Record<string, Value>[]>;
  get(sql: string, ...params: unknown[]): Promise<Record<string, Value> | undefined>;
  run(sql: string, ...params: unknown[]): Promise<{ changes: number; lastInsertRowid: number | bigint }>;
  loadExtension(source: string | URL | Uint8Array, options?: ExtensionOptions): Promise<{ name: string; version: string; usesSql: boolean; functions: string[]; modules: string[] }>;
  /** The bytes of the database's file. */
  serialize(): Promise<Uint8Array>;
  /** Replaces the content by that of a database's file, in one transaction. */
  restore(bytes: Uint8Array): Promise<void>;
  /** Whether this tab has the files open. */
  isOwner(): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens a database of OPFS by its name, or `:memory:`. */
export function open(name: string, options?: Options): Promise<Database>;
