// Types of `sqlite-sandbox/node-sqlite`, with the names of `node:sqlite`.

/// <reference types="node" />

import Database = require('./index');

type SQLInputValue = null | undefined | boolean | number | bigint | string | NodeJS.ArrayBufferView | ArrayBuffer;
type SQLOutputValue = null | number | bigint | string | Uint8Array;

interface StatementOptions {
  /** Integers as bigints. Without it, one that a number cannot hold is an error. */
  readBigInts?: boolean;
  /** Rows as arrays. */
  returnArrays?: boolean;
  /** Names of parameters can lack their first character. Default: true. */
  allowBareNamedParameters?: boolean;
  /** Names that the statement does not have are ignored. */
  allowUnknownNamedParameters?: boolean;
}

/** The options of `node:sqlite`, and those of this package. */
interface DatabaseSyncOptions extends StatementOptions, Omit<Database.Options, 'readonly'> {
  open?: boolean;
  readOnly?: boolean;
  enableForeignKeyConstraints?: boolean;
  enableDoubleQuotedStringLiterals?: boolean;
  allowExtension?: boolean;
  defensive?: boolean;
}

interface FunctionOptions {
  deterministic?: boolean;
  directOnly?: boolean;
  useBigIntArguments?: boolean;
  varargs?: boolean;
}

interface AggregateOptions<T = any> extends FunctionOptions {
  start: T | (() => T);
  step: (total: T, ...values: any[]) => T;
  inverse?: (total: T, ...values: any[]) => T;
  result?: (total: T) => SQLInputValue;
}

interface BackupOptions {
  source?: string;
  /** Pages that are copied at once. Default: 100. */
  rate?: number;
  progress?: (state: Database.BackupState) => void;
}

export class DatabaseSync implements Disposable {
  constructor(path: string | Uint8Array | URL, options?: DatabaseSyncOptions);
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  open(): void;
  close(): void;
  [Symbol.dispose](): void;
  exec(sql: string): void;
  prepare(sql: string, options?: StatementOptions): StatementSync;
  function(name: string, fn: (...args: any[]) => SQLInputValue): void;
  function(name: string, options: FunctionOptions, fn: (...args: any[]) => SQLInputValue): void;
  aggregate<T>(name: string, options: AggregateOptions<T>): void;
  location(dbName?: string): string | null;
  serialize(dbName?: string): Uint8Array;
  enableLoadExtension(allow: boolean): void;
  loadExtension(source: string | NodeJS.ArrayBufferView, options?: Database.ExtensionOptions): void;
  loadExtension(source: URL, options: Database.ExtensionOptions & { sha256: string }): Promise<void>;
}

type NamedParameters = Record<string, SQLInputValue>;

export class StatementSync {
  private constructor();
  readonly sourceSQL: string;
  readonly expandedSQL: string;
  run(...parameters: SQLInputValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  run(named: NamedParameters, ...parameters: SQLInputValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...parameters: SQLInputValue[]): Record<string, SQLOutputValue> | undefined;
  get(named: NamedParameters, ...parameters: SQLInputValue[]): Record<string, SQLOutputValue> | undefined;
  all(...parameters: SQLInputValue[]): Record<string, SQLOutputValue>[];
  all(named: NamedParameters, ...parameters: SQLInputValue[]): Record<string, SQLOutputValue>[];
  iterate(...parameters: SQLInputValue[]): IterableIterator<Record<string, SQLOutputValue>>;
  iterate(named: NamedParameters, ...parameters: SQLInputValue[]): IterableIterator<Record<string, SQLOutputValue>>;
  columns(): { column: string | null; database: string | null; name: string; table: string | null; type: string | null }[];
  setReadBigInts(enabled: boolean): void;
  setReturnArrays(enabled: boolean): void;
  setAllowBareNamedParameters(enabled: boolean): void;
  setAllowUnknownNamedParameters(enabled: boolean): void;
}

/** Copies a database to a file. Returns how many pages it has. */
export function backup(sourceDb: DatabaseSync, path: string, options?: BackupOptions): Promise<number>;

export const constants: Readonly<Record<string, never>>;
