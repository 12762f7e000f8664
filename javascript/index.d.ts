// Types of `sqlite-sandbox`. Where the interface is that of better-sqlite3, so are the names.

/// <reference types="node" />

declare namespace Database {
  /** A value of SQL. */
  type Value = null | number | bigint | string | Buffer;
  /** What can be bound to a parameter. */
  type Bindable = Value | undefined | NodeJS.ArrayBufferView;

  interface Options {
    /** Open for reading. */
    readonly?: boolean;
    /** Fail if the file does not exist. */
    fileMustExist?: boolean;
    /** Milliseconds for which a statement waits for a lock. Default: 5000. */
    timeout?: number;
    /** Called with the SQL of each statement, with its values. */
    verbose?: ((sql: string) => void) | null;
    /** No other program uses the file. Needed for writing where the lock module does not load. */
    exclusive?: boolean;
    /** Directories whose files SQL can attach; by default none. */
    directories?: (string | { path: string; readonly?: boolean })[];
    /** Most memory of the connection, in bytes. Default: 1 GiB. */
    memory?: number;
    /** Most time of one statement, in milliseconds. */
    statementTime?: number;
    /** Most rows that one statement returns. */
    rows?: number;
    /** Most bytes that one statement returns. */
    bytes?: number;
  }

  interface RunResult {
    changes: number;
    lastInsertRowid: number | bigint;
  }

  interface ColumnDefinition {
    name: string;
    column: string | null;
    table: string | null;
    database: string | null;
    type: string | null;
  }

  interface Statement<Parameters extends unknown[] = unknown[], Result = unknown> {
    readonly database: Database;
    readonly source: string;
    readonly reader: boolean;
    readonly readonly: boolean;
    readonly busy: boolean;
    run(...parameters: Parameters): RunResult;
    get(...parameters: Parameters): Result | undefined;
    all(...parameters: Parameters): Result[];
    iterate(...parameters: Parameters): IterableIterator<Result>;
    pluck(use?: boolean): this;
    expand(use?: boolean): this;
    raw(use?: boolean): this;
    bind(...parameters: Parameters): this;
    columns(): ColumnDefinition[];
    safeIntegers(use?: boolean): this;
  }

  interface FunctionOptions {
    varargs?: boolean;
    deterministic?: boolean;
    safeIntegers?: boolean;
    directOnly?: boolean;
  }

  interface AggregateOptions<T = any> extends FunctionOptions {
    start?: T | (() => T);
    step: (total: T, ...values: any[]) => T | void;
    inverse?: (total: T, ...values: any[]) => T;
    result?: (total: T) => unknown;
  }

  interface TableDefinition {
    rows: (...parameters: any[]) => Generator<unknown[] | Record<string, unknown>>;
    columns: string[];
    parameters?: string[];
    safeIntegers?: boolean;
    directOnly?: boolean;
  }

  interface TableContext {
    module: string;
    database: string;
    table: string;
  }

  type Transaction<F extends (...args: any[]) => unknown> = F & {
    readonly default: Transaction<F>;
    readonly deferred: Transaction<F>;
    readonly immediate: Transaction<F>;
    readonly exclusive: Transaction<F>;
    readonly database: Database;
  };

  interface BackupState {
    totalPages: number;
    remainingPages: number;
  }

  interface BackupOptions {
    attached?: string;
    progress?: (state: BackupState) => number | void;
  }

  interface ExtensionOptions {
    /** `'sql'`, `'sql:ro'`, `'env:NAME'`, `'dir:PATH'` for files, `'dir:PATH:ro'` to read them. Shipped extensions have SQL. */
    grants?: string[];
    /** Refuse other bytes. Needed for a URL. */
    sha256?: string;
    /** Most memory of the extension, in bytes. Default: 512 MiB. */
    memory?: number;
    /** Most time of one call, in milliseconds; the extension then has a thread of its own. */
    time?: number;
  }

  /** An error of SQLite; `code` is the name of its result code. */
  class SqliteError extends Error {
    constructor(message: string, code: string);
    code: string;
  }

  /** A limit was reached. */
  class LimitError extends SqliteError {
    readonly limit: 'memory' | 'statementTime' | 'rows' | 'bytes';
    readonly value: number;
  }
}

declare class Database {
  /** @param source A path, `':memory:'`, or the content of a database. */
  constructor(source?: string | Buffer, options?: Database.Options);

  readonly name: string;
  readonly open: boolean;
  readonly inTransaction: boolean;
  readonly readonly: boolean;
  readonly memory: boolean;

  prepare<Result = unknown>(sql: string): Database.Statement<any[], Result>;
  exec(sql: string): this;
  pragma(source: string, options?: { simple?: boolean }): unknown;
  transaction<F extends (...args: any[]) => unknown>(fn: F): Database.Transaction<F>;
  function(name: string, fn: (...args: any[]) => unknown): this;
  function(name: string, options: Database.FunctionOptions, fn: (...args: any[]) => unknown): this;
  aggregate<T>(name: string, options: Database.AggregateOptions<T>): this;
  table(
    name: string,
    factory: Database.TableDefinition | ((this: Database.TableContext, ...args: string[]) => Database.TableDefinition),
  ): this;
  backup(filename: string, options?: Database.BackupOptions): Promise<Database.BackupState>;
  serialize(options?: { attached?: string }): Buffer;
  loadExtension(source: string | NodeJS.ArrayBufferView, options?: Database.ExtensionOptions): this;
  loadExtension(source: URL, options: Database.ExtensionOptions & { sha256: string }): Promise<this>;
  close(): this;
  defaultSafeIntegers(use?: boolean): this;
  unsafeMode(use?: boolean): this;

  static readonly Database: typeof Database;
  static readonly default: typeof Database;
}

export = Database;
