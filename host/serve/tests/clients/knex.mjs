// Migrations and queries of Knex: node knex.mjs HOST PORT USER DATABASE
import assert from "node:assert";
import knex from "knex";

const [host, port, user, database] = process.argv.slice(2);

const first = {
  async up(db) {
    await db.schema.createTable("knex_users", (table) => {
      table.increments("id");
      table.string("name", 40).notNullable().unique();
      table.integer("age").defaultTo(18);
      table.jsonb("data");
      table.timestamps(true, true);
    });
    await db.schema.createTable("knex_posts", (table) => {
      table.bigIncrements("id");
      table.integer("user_id").references("id").inTable("knex_users").onDelete("CASCADE").notNullable();
      table.text("body");
      table.boolean("is_public").notNullable().defaultTo(false);
      table.index(["user_id", "is_public"], "knex_posts_by_user");
    });
    await db("knex_users").insert([{ name: "Ann", age: 30, data: { a: [1] } }, { name: "Bob" }]);
    await db("knex_posts").insert([{ user_id: 1, body: "hello" }, { user_id: 1, body: "again" }, { user_id: 2, body: "12" }]);
  },
  async down(db) {
    await db.schema.dropTable("knex_posts");
    await db.schema.dropTable("knex_users");
  },
};
const second = {
  async up(db) {
    await db.schema.alterTable("knex_users", (table) => {
      table.string("name", 80).notNullable().alter();
      table.renameColumn("age", "years");
      table.decimal("balance", 10, 2).notNullable().defaultTo(0);
      table.uuid("code").unique();
      table.check("years >= 0", {}, "knex_years");
    });
    await db.schema.alterTable("knex_posts", (table) => {
      table.dropForeign("user_id");
      table.dropIndex(["user_id", "is_public"], "knex_posts_by_user");
      table.foreign("user_id", "knex_posts_owner").references("knex_users.id").onDelete("RESTRICT");
      table.unique(["user_id", "body"]);
      table.setNullable("user_id");
    });
    await db.schema.renameTable("knex_posts", "knex_articles");
  },
  async down(db) {
    await db.schema.renameTable("knex_articles", "knex_posts");
    await db.schema.alterTable("knex_posts", (table) => {
      table.dropNullable("user_id");
      table.dropUnique(["user_id", "body"]);
      table.dropForeign("user_id", "knex_posts_owner");
      table.foreign("user_id").references("knex_users.id").onDelete("CASCADE");
    });
    await db.schema.alterTable("knex_users", (table) => {
      table.dropChecks(["knex_years"]);
      table.dropColumns("balance", "code");
      table.renameColumn("years", "age");
    });
  },
};
const migrations = { first, second };
const migrationSource = {
  getMigrations: async () => Object.keys(migrations),
  getMigrationName: (name) => name,
  getMigration: async (name) => migrations[name],
};
const db = knex({ client: "pg", connection: { host, port: Number(port), user, database }, migrations: { migrationSource } });

await db.migrate.rollback(undefined, true);
const [batch, done] = await db.migrate.latest();
assert.deepEqual([batch, done], [1, ["first", "second"]]);
assert.deepEqual((await db.migrate.latest())[1], []);

const users = await db("knex_users").select("id", "name", "years", "balance", "data").orderBy("id");
assert.deepEqual(users, [
  { id: 1, name: "Ann", years: 30, balance: "0.00", data: { a: [1] } },
  { id: 2, name: "Bob", years: 18, balance: "0.00", data: null },
]);
const [{ id }] = await db("knex_users").insert({ name: "C".repeat(80), balance: 12.5 }).returning("id");
assert.equal(id, 3);
await db("knex_users").insert({ name: "Ann", years: 31 }).onConflict("name").merge(["years"]);
assert.equal((await db("knex_users").where({ name: "Ann" }).first()).years, 31);
await assert.rejects(db("knex_users").insert({ name: "Ann" }), { code: "23505", constraint: "knex_users_name_unique" });
await assert.rejects(db("knex_users").update({ years: -1 }), { code: "23514", constraint: "knex_years" });
await assert.rejects(db("knex_users").where({ id: 1 }).delete(), { code: "23503", constraint: "knex_posts_owner" });
const joined = db("knex_users as u").leftJoin("knex_articles as a", "a.user_id", "u.id").groupBy("u.name").orderBy("u.name");
assert.deepEqual(await joined.select("u.name").count({ posts: "a.id" }), [
  { name: "Ann", posts: "2" }, { name: "Bob", posts: "1" }, { name: "C".repeat(80), posts: "0" },
]);
await assert.rejects(db.transaction(async (transaction) => {
  await transaction("knex_articles").delete();
  throw new Error("undo");
}), /undo/);
assert.equal((await db("knex_articles").count())[0].count, "3");
const columns = await db("knex_users").columnInfo();
assert.deepEqual(columns.name, { type: "character varying", maxLength: 80, nullable: false, defaultValue: null });
assert.match(columns.balance.defaultValue, /^'?0/);
assert.ok(await db.schema.hasTable("knex_articles"));
assert.ok(await db.schema.hasColumn("knex_users", "years"));

await db.migrate.down();
assert.equal((await db("knex_posts").where({ user_id: 1 })).length, 2);
await db.migrate.rollback(undefined, true);
assert.ok(!(await db.schema.hasTable("knex_users")));
await db.destroy();
console.log("Knex: migrations go up and down");
