// Drizzle over @libsql/client, unchanged: node drizzle.mjs AUTHORITY TOKEN
import assert from "node:assert/strict";
import { createClient } from "@libsql/client";
import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/libsql";
import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

const [authority, authToken] = process.argv.slice(2);
const goods = sqliteTable("drizzled", {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
  price: real(),
});

const client = createClient({ url: `http://${authority}/`, authToken });
const db = drizzle(client);
await db.run(sql`DROP TABLE IF EXISTS drizzled`);
await db.run(sql`CREATE TABLE drizzled(id integer PRIMARY KEY, name text NOT NULL UNIQUE, price real)`);

const inserted = await db.insert(goods).values([{ name: "tea", price: 4.5 }, { name: "cup" }]).returning();
assert.deepEqual(inserted, [{ id: 1, name: "tea", price: 4.5 }, { id: 2, name: "cup", price: null }]);
await db.update(goods).set({ price: 12 }).where(eq(goods.name, "cup"));
await assert.rejects(db.insert(goods).values({ name: "tea" }), (error) => /UNIQUE/.test(error.cause.message));

// A transaction that fails leaves nothing, and one that ends keeps what it wrote.
await assert.rejects(db.transaction(async (tx) => {
  await tx.delete(goods);
  assert.equal((await tx.select().from(goods)).length, 0);
  throw new Error("no");
}), /no/);
await db.transaction((tx) => tx.insert(goods).values({ name: "pot", price: 1 }));
const [count, found] = await db.batch([
  db.select({ all: sql`count(*)` }).from(goods),
  db.select().from(goods).where(eq(goods.id, 2)),
]);
assert.deepEqual([count, found], [[{ all: 3 }], [{ id: 2, name: "cup", price: 12 }]]);
// What psql shows next is compared.
await db.run(sql`DROP TABLE drizzled`);
client.close();
console.log("drizzle: ok");
