// Schemas of Drizzle, whose migrations drizzle-kit writes: node drizzle_schema.mjs HOST PORT USER DATABASE
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asc, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";

const [host, port, user, database] = process.argv.slice(2);
const directory = mkdtempSync(join(import.meta.dirname, "drizzle-"));
process.on("exit", () => rmSync(directory, { recursive: true }));

// Each is a file for drizzle-kit.
const head = 'import { sql } from "drizzle-orm";\nimport * as core from "drizzle-orm/pg-core";\n';
const first = `${head}
export const users = core.pgTable("drizzle_users", {
  id: core.serial().primaryKey(),
  name: core.varchar({ length: 40 }).notNull(),
});
export const posts = core.pgTable("drizzle_posts", {
  id: core.bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  userId: core.integer("user_id").notNull().references(() => users.id, { onDelete: "cascade" }),
  body: core.text(),
  price: core.integer(),
});`;
const second = `${head}
export const users = core.pgTable("drizzle_users", {
  id: core.serial().primaryKey(),
  name: core.varchar({ length: 80 }).notNull().unique(),
  made: core.timestamp({ withTimezone: true }).notNull().defaultNow(),
  data: core.jsonb().default({ a: 1 }),
  code: core.uuid(),
});
export const posts = core.pgTable("drizzle_posts", {
  id: core.bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  userId: core.integer("user_id").references(() => users.id, { onDelete: "set null" }),
  body: core.text().notNull().default("none"),
  price: core.numeric({ precision: 8, scale: 2 }),
  isPublic: core.boolean("is_public").default(true),
  tags: core.text().array(),
}, (table) => [
  core.index("drizzle_posts_by_user").on(table.userId, table.price.desc()),
  core.unique("drizzle_posts_once").on(table.userId, table.body),
  core.check("drizzle_posts_price", sql\`\${table.price} >= 0\`),
]);`;
const kit = (...words) => execFileSync(
  process.execPath, [join(import.meta.dirname, "node_modules/drizzle-kit/bin.cjs"), ...words, "--config", join(directory, "config.json")],
  { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
);
const credentials = { host, port: Number(port), user, database, ssl: false };
const config = { dialect: "postgresql", schema: "./schema.mjs", out: "./out", dbCredentials: credentials, tablesFilter: ["drizzle_*"], strict: false };
writeFileSync(join(directory, "config.json"), JSON.stringify(config));
const pool = new pg.Pool({ host, port, user, database });
await pool.query("DROP TABLE IF EXISTS drizzle_posts; DROP TABLE IF EXISTS drizzle_users; DROP TABLE IF EXISTS drizzle_done");
const db = drizzle(pool);
const generate = async (schema) => {
  writeFileSync(join(directory, "schema.mjs"), schema);
  kit("generate");
  await migrate(db, { migrationsFolder: join(directory, "out"), migrationsTable: "drizzle_done", migrationsSchema: "public" });
};
await generate(first);
await pool.query("INSERT INTO drizzle_users(name) VALUES ('Ann'), ('Bob')");
await pool.query("INSERT INTO drizzle_posts(user_id, body, price) VALUES (1, 'hello', 2), (1, 'again', NULL), (2, '12', 7)");
await generate(second);
await generate(second);
const { users, posts } = await import(join(directory, "schema.mjs"));
const rows = await db.select().from(posts).leftJoin(users, eq(users.id, posts.userId)).orderBy(asc(posts.id));
assert.deepEqual(rows.map(({ drizzle_posts: post, drizzle_users: user }) => [post.id, post.price, post.isPublic, user.name, user.data]), [
  [1, "2.00", true, "Ann", { a: 1 }], [2, null, true, "Ann", { a: 1 }], [3, "7.00", true, "Bob", { a: 1 }],
]);
assert.ok(rows[0].drizzle_users.made instanceof Date);
const [added] = await db.insert(posts).values({ userId: 2, tags: ["a", "b"] }).returning();
assert.deepEqual([added.id, added.body, added.tags], [4, "none", ["a", "b"]]);
const code = (state) => (error) => error.cause.code === state;
await assert.rejects(db.insert(users).values({ name: "Ann" }), code("23505"));
await assert.rejects(db.update(posts).set({ price: "-1" }), code("23514"));
await db.insert(users).values({ name: "Ann", code: "12345678-1234-1234-1234-123456789abc" })
  .onConflictDoUpdate({ target: users.name, set: { code: sql`excluded.code` } });
assert.ok((await db.select().from(users).where(eq(users.name, "Ann")))[0].code);
await db.delete(users).where(eq(users.name, "Bob"));
assert.equal(await db.$count(posts, sql`user_id IS NULL`), 2);
await assert.rejects(db.transaction(async (transaction) => {
  await transaction.delete(posts);
  transaction.rollback();
}));
assert.equal(await db.$count(posts), 4);
await pool.query("DROP TABLE drizzle_posts; DROP TABLE drizzle_users; DROP TABLE drizzle_done");
await pool.end();
console.log("Drizzle: the migrations of drizzle-kit run, and keep the rows");
