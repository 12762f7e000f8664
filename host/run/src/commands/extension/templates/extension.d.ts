// What a script that becomes an extension can use. Copy it beside the script, or name it in
// `compilerOptions.types`, and editors and `tsc --checkJs` know `extension` and `sql`.

/** A value of SQL: an INTEGER beyond 2^53 is a BigInt, a BLOB a Uint8Array. */
type SqlValue = null | number | bigint | string | Uint8Array;

/** What a function returns: `undefined` is NULL, a boolean is 0 or 1. */
type SqlResult = SqlValue | boolean | undefined | void;

type Risk = 'innocuous' | 'ordinary' | 'direct-only';

interface FunctionOptions {
  /** How many arguments; by default as many as the function declares. */
  arguments?: number | 'any';
  /** The same arguments give the same result, so that indexes can use it. */
  deterministic?: boolean;
  /** Where SQL may call it, if a schema may be hostile; `'ordinary'` by default. */
  risk?: Risk;
}

interface ScalarFunction extends FunctionOptions {
  call(...values: any[]): SqlResult;
}

/** The state is what `start` returns, and then what `step` and `inverse` return, unless that is `undefined`. */
interface AggregateFunction<State = any> extends FunctionOptions {
  start?(): State;
  step(state: State, ...values: any[]): State | void;
  /** The result; the state itself by default. */
  finish?(state: State): SqlResult;
  /** Removes the oldest row, so that the function can be used with OVER. */
  inverse?(state: State, ...values: any[]): State | void;
  /** The result so far; that of `finish` by default. */
  value?(state: State): SqlResult;
}

/** A table-valued function: `SELECT … FROM name(parameters)`. */
interface TableFunction {
  /** Columns, as in CREATE TABLE: `'n INTEGER'`. */
  columns: string[];
  /** The names of the parameters, which are hidden columns. */
  parameters?: string[];
  /** The rows: arrays, or objects with the columns as properties. */
  rows(...parameters: any[]): Iterable<SqlResult[] | Record<string, SqlResult>>;
  risk?: Risk;
}

/** A token, and where it is in the string: `[token, start, end]`; with `true` a synonym of the one before. */
type Token = [token: string, start: number, end: number, synonym?: boolean];

interface TokenizedText {
  purpose: 'document' | 'query' | 'prefix' | 'auxiliary';
  locale: string | null;
  /** The words behind the tokenizer's name in the option `tokenize`. */
  words: string[];
}

type Tokenize = (text: string, about: TokenizedText) => Iterable<Token>;

interface Tokenizer {
  call: Tokenize;
  /** Throws if it does not know the words; called when a table is created or opened. */
  check?(words: string[]): void;
}

interface ExtensionDefinition {
  /** Letters, digits and `_`; grants are given to this name. */
  name: string;
  version?: string;
  description?: string;
  /** `'sql'` or `'sql:ro'`, if it runs SQL; the user grants it. */
  needs?: ('sql' | 'sql:ro')[];
  functions?: Record<string, ScalarFunction | ((...values: any[]) => SqlResult)>;
  aggregates?: Record<string, AggregateFunction>;
  /** For FTS5: `CREATE VIRTUAL TABLE … USING fts5(…, tokenize = 'name word …')`. */
  tokenizers?: Record<string, Tokenizer | Tokenize>;
  /** Less than 0, 0, or more; always the same for the same texts. */
  collations?: Record<string, (left: string, right: string) => number>;
  tables?: Record<string, TableFunction>;
}

/** Returns its argument: it tells editors what the default export is. */
declare function extension(definition: ExtensionDefinition): ExtensionDefinition;

type Row = Record<string, SqlValue>;

/** SQL on the connection that called the extension; `${values}` are bound. */
declare const sql: {
  /** All rows. */
  (strings: TemplateStringsArray, ...values: (SqlValue | boolean | undefined)[]): Row[];
  /** The rows one at a time. */
  each(strings: TemplateStringsArray, ...values: (SqlValue | boolean | undefined)[]): Generator<Row, void>;
};

declare class TextEncoder {
  encode(text?: string): Uint8Array;
}

declare class TextDecoder {
  decode(bytes?: ArrayBufferView | ArrayBuffer): string;
}

/** Printed text is shown when the extension traps. */
declare const console: Record<'log' | 'info' | 'warn' | 'error' | 'debug', (...values: unknown[]) => void>;
