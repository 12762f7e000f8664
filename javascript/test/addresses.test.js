'use strict';
// Extensions that know the addresses of the program's objects in the sandbox: as an extension's handles, the addresses
// name nothing.

const assert = require('node:assert');
const path = require('node:path');
const { test } = require('node:test');

const Database = require('..');
const { Connection } = require('../src/api/connection.js');
const { CALL, CODE, WORK } = require('../src/opcodes.js');
const { BUILT, randomOf } = require('./support.js');

/** Requests of each operation, with other parameters each time. */
const ROUNDS = 4;

const CONTENT = '0123456789';

/** The operations that need a statement or blob, if their parameters can be read. */
const NAMING = ['WRITE', 'STEP', 'RUN', 'REOPEN_BLOB', 'READ', 'DESCRIBE', 'EXPAND'];

/** A database with an extension that sends any bytes, and its connection. */
function opened(t) {
  const { call } = Connection.prototype;
  let connection;
  Connection.prototype.call = function (write) {
    connection = this;
    return call.call(this, write);
  };
  const db = new Database(':memory:').loadExtension(path.join(BUILT, 'guests', 'querying.wasm'), { grants: ['sql'] });
  Connection.prototype.call = call;
  t.after(() => db.close());
  return { db, connection };
}

test('addresses of the program are no handles of an extension', (t) => {
  const { db, connection } = opened(t);
  const random = randomOf(7);
  db.exec(`CREATE TABLE t(b); INSERT INTO t VALUES (CAST('${CONTENT}' AS BLOB))`);
  const call = (code, ...write) =>
    connection.request((writer) => {
      writer.u8(code);
      write.forEach((part) => part(writer));
    });
  const u32 = (number) => (writer) => writer.u32(number);
  const text = (value) => (writer) => writer.text(value);
  const statement = call(CALL.PREPARE, u32(0), text('SELECT b FROM t')).reader.u32();
  const place = ['main', 't', 'b'].map(text);
  const blob = call(CALL.BLOB_OPEN, ...place, u32(1), u32(0), u32(1)).reader.u32();
  const addresses = [connection.address, statement, blob];
  assert.ok(addresses.every((address) => address > 1000));
  const step = () => call(CALL.STEP, u32(statement), u32(0)).head.code;
  assert.strictEqual(step(), CODE.ROW);

  /** The objects are as they were: not closed, not reset, not moved, not written. */
  const check = () => {
    const { head, reader } = call(CALL.BLOB_READ, u32(blob), u32(0), u32(CONTENT.length));
    assert.strictEqual(head.code, CODE.OK);
    assert.strictEqual(Buffer.from([...CONTENT].map(() => reader.u8())).toString(), CONTENT);
    assert.deepStrictEqual([step(), step()], [CODE.DONE, CODE.ROW]);
  };
  const work = db.prepare('SELECT sql00_work(?)').pluck();
  const named = NAMING.map((name) => WORK[name]);
  let refused = 0;
  for (let code = 0; code < 256; code++) {
    for (let round = 0; round < ROUNDS; round++) {
      const parameters = Buffer.alloc(4 * (1 + random(6)) + 16);
      for (let at = 0; at < parameters.length - 16; at += 4) {
        parameters.writeUInt32LE(addresses[random(3)] - random(2), at);
      }
      const request = Buffer.concat([Buffer.from([code]), parameters]);
      let message = '';
      try {
        work.get(request);
      } catch (error) {
        message = error.message;
      }
      if (message.includes('no such statement or blob')) refused++;
      else assert.ok(!named.includes(code) || message.includes('incomplete'), `${code}: ${message}`);
      check();
    }
  }
  assert.ok(refused > ROUNDS * (named.length - 1), `${refused} names were looked up`);
});
