// The database of a server, by the HTTP of libSQL's Hrana protocol.

import { Running } from './running.mjs';
import { positionOf, statements } from './sql.mjs';

const { isSafeInteger } = Number;

function encoded(value) {
  if (value === null || value === undefined) return { type: 'null' };
  if (typeof value === 'bigint' || isSafeInteger(value)) return { type: 'integer', value: String(value) };
  if (typeof value === 'number') return { type: 'float', value };
  if (typeof value === 'string') return { type: 'text', value };
  return { type: 'blob', base64: btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join('')) };
}

function decoded({ type, value, base64 }) {
  switch (type) {
    case 'null': return null;
    case 'integer': return isSafeInteger(Number(value)) ? Number(value) : BigInt(value);
    case 'blob': return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    default: return value;
  }
}

/** A result in the form of the client in browsers. */
function resultOf({ cols, rows, affected_row_count: changes }, most, time) {
  return {
    columns: cols.map(({ name, decltype }) => ({ name: name ?? '', type: decltype ?? null })),
    rows: rows.slice(0, most).map((row) => row.map(decoded)),
    isCut: rows.length > most,
    changes,
    time,
  };
}

/** The token is wrong or missing. */
export class Unauthorized extends Error {}

export class HranaSource {
  #token;
  running = new Running();

  /** @param {string} base The path of the database. */
  constructor(base, name, token) {
    this.base = base;
    this.name = name;
    this.#token = token;
  }

  set token(token) {
    this.#token = token;
  }

  /** Whether this role may write. */
  async canWrite() {
    const [{ rows }] = await this.query('PRAGMA query_only');
    return rows[0]?.[0] !== 1;
  }

  async #send(requests, signal) {
    const headers = { 'content-type': 'application/json' };
    if (this.#token) headers.authorization = `Bearer ${this.#token}`;
    const body = JSON.stringify({ baton: null, requests });
    const reply = await fetch(`${this.base}v3/pipeline`, { method: 'POST', headers, body, signal });
    const json = await reply.json();
    if (reply.status === 401) throw new Unauthorized(json.message);
    if (!reply.ok) throw new Error(json.message);
    return json.results;
  }

  /** What commits of all clients have changed, as they come; `tables` is null where that can be anything. */
  async *changes(signal) {
    const headers = this.#token ? { authorization: `Bearer ${this.#token}` } : {};
    const reply = await fetch(`${this.base}v1/changes`, { headers, signal });
    if (!reply.ok) throw new Error((await reply.json()).message);
    let text = '';
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const events = text.split('\n\n');
      text = events.pop();
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event);
        // The first event, and one after a loss, have no tables.
        if (data) yield { tables: null, ...JSON.parse(data[1]) };
      }
    }
  }

  /** Runs the statements of a text; those after a failure are not run. */
  query(sql, params, options) {
    return this.running.run((signal) => this.#query(sql, params, options, signal));
  }

  async #query(sql, params = [], { rows = Infinity } = {}, signal = undefined) {
    const all = statements(sql);
    const args = params.map(encoded);
    const steps = all.map((statement, index) => ({
      stmt: { sql: statement.sql, args, want_rows: true },
      ...(index > 0 ? { condition: { type: 'ok', step: index - 1 } } : {}),
    }));
    const start = performance.now();
    const [reply] = await this.#send([{ type: 'batch', batch: { steps } }, { type: 'close' }], signal).catch((error) => {
      // A server whose client is gone ends its statement, and with its connection the transaction.
      throw signal.aborted ? new Error('the statement was stopped; what was not committed is rolled back') : error;
    });
    if (reply.type === 'error') throw Object.assign(new Error(reply.error.message), { code: reply.error.code });
    const { step_results: results, step_errors: errors } = reply.response.result;
    const failed = errors.findIndex(Boolean);
    if (failed >= 0) {
      const { message, code } = errors[failed];
      throw Object.assign(new Error(message), { code, offset: all[failed].start + positionOf(all[failed].sql, message) });
    }
    return results.map((result) => resultOf(result, rows, performance.now() - start));
  }
}
