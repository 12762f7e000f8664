// node-postgres against the server: HOST PORT.
import assert from "node:assert";
import pg from "pg";

const [host, port] = process.argv.slice(2);
const client = new pg.Client({ host, port: Number(port), database: "shop", user: "local" });
await client.connect();
await client.query("DROP TABLE IF EXISTS n");
await client.query("CREATE TABLE n (id serial PRIMARY KEY, a int, b text, c boolean, d timestamp)");
const insert = "INSERT INTO n(a, b, c, d) VALUES ($1, $2, $3, $4) RETURNING id";
const made = await client.query(insert, [7, "é", true, "2024-01-02 03:04:05"]);
assert.deepEqual(made.rows, [{ id: 1 }]);
const named = { name: "find", text: "SELECT a, b, c FROM n WHERE id = $1" };
for (let i = 0; i < 3; i++) {
  const found = await client.query({ ...named, values: [1] });
  assert.deepEqual(found.rows, [{ a: 7, b: "é", c: true }]);
}
await assert.rejects(client.query("SELECT nope"), { code: "42703" });
await client.query("BEGIN");
await client.query("INSERT INTO n(a) VALUES (8)");
await client.query("ROLLBACK");
assert.equal((await client.query("SELECT count(*)::int AS n FROM n")).rows[0].n, 1);
const pool = new pg.Pool({ host, port: Number(port), database: "shop", user: "local", max: 5 });
const sums = await Promise.all([...Array(50).keys()].map((i) => pool.query("SELECT $1::int + 1 AS x", [i])));
assert.deepEqual(sums.map((sum) => sum.rows[0].x), [...Array(50).keys()].map((i) => i + 1));
await pool.end();
await client.end();
console.log("node-postgres passes");
