// @libsql/client, unchanged, over HTTP and WebSocket: node libsql.mjs AUTHORITY TOKEN
import assert from "node:assert/strict";
import { createClient } from "@libsql/client";

const [authority, authToken] = process.argv.slice(2);

for (const scheme of ["http", "ws"]) {
  const client = createClient({ url: `${scheme}://${authority}/`, authToken, intMode: "bigint" });
  await values(client);
  await batches(client);
  await transactions(client);
  await errors(client);
  client.close();
  const stranger = createClient({ url: `${scheme}://${authority}/`, authToken: "wrong" });
  await assert.rejects(stranger.execute("SELECT 1"));
  stranger.close();
  console.log(`${scheme}: ok`);
}

async function values(client) {
  const args = [null, 2n ** 62n, 0.5, "é\u{1f600}", new Uint8Array([0, 255])];
  const { rows, columns } = await client.execute({ sql: "SELECT ?, ?, ? AS c, ?, ?", args });
  assert.deepEqual(Array.from(rows[0]).slice(0, 4), args.slice(0, 4));
  assert.deepEqual(new Uint8Array(rows[0][4]), args[4]);
  assert.equal(columns[2], "c");
  const named = await client.execute({ sql: "SELECT :a, $b", args: { a: 1, b: "x" } });
  assert.deepEqual(Array.from(named.rows[0]), [1, "x"]);
  const many = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c LIMIT 20000) SELECT i FROM c";
  assert.equal((await client.execute(many)).rows.length, 20000);
}

async function batches(client) {
  await client.executeMultiple("DROP TABLE IF EXISTS t; CREATE TABLE t(x INTEGER PRIMARY KEY, y)");
  const inserted = await client.batch(
    ["INSERT INTO t(y) VALUES('a')", { sql: "INSERT INTO t(y) VALUES(?)", args: ["b"] }], "write");
  assert.equal(inserted[1].rowsAffected, 1);
  assert.equal(inserted[1].lastInsertRowid, 2n);
  await assert.rejects(client.batch(["INSERT INTO t VALUES(9, 'c')", "INSERT INTO t VALUES(1, 'd')"], "write"));
  assert.equal((await client.execute("SELECT count(*) FROM t")).rows[0][0], 2n);
  await client.migrate(["CREATE TABLE IF NOT EXISTS u(x)"]);
}

async function transactions(client) {
  const kept = await client.transaction("write");
  await kept.execute("INSERT INTO t VALUES(3, 'e')");
  assert.equal((await kept.execute("SELECT count(*) FROM t")).rows[0][0], 3n);
  await kept.commit();
  const dropped = await client.transaction("write");
  await dropped.execute("DELETE FROM t");
  await dropped.rollback();
  const left = await client.transaction("write");
  await left.execute("DELETE FROM t");
  left.close();
  assert.equal((await client.execute("SELECT count(*) FROM t")).rows[0][0], 3n);
}

async function errors(client) {
  const unique = client.execute("INSERT INTO t VALUES(1, 'z')");
  await assert.rejects(unique, { code: "SQLITE_CONSTRAINT" });
  await assert.rejects(client.execute("SELECT * FROM nope"), /no such table: nope/);
  const loop = "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c) SELECT sum(i) FROM c";
  await assert.rejects(client.execute(loop), { code: "LIMIT_REACHED" });
  assert.equal((await client.execute("SELECT 1")).rows[0][0], 1n);
}
