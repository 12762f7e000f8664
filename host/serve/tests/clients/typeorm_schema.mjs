// The schema of entities of TypeORM: node typeorm_schema.mjs HOST PORT USER DATABASE
import assert from "node:assert";
import "reflect-metadata";
import { DataSource, EntitySchema } from "typeorm";
const [host, port, username, database] = process.argv.slice(2);

const id = { type: "int", primary: true, generated: true };
const before = [
  new EntitySchema({ name: "Shop", tableName: "typeorm_shop", columns: { id, name: { type: "varchar", length: 40 } },
    relations: { items: { type: "one-to-many", target: "Stock", inverseSide: "shop" } } }),
  new EntitySchema({ name: "Stock", tableName: "typeorm_stock", columns: {
      id: { type: "bigint", primary: true, generated: "identity" }, name: { type: "text" }, price: { type: "double precision", nullable: true } },
    relations: { shop: { type: "many-to-one", target: "Shop", inverseSide: "items", onDelete: "CASCADE" } } }),
];
const after = [
  new EntitySchema({ name: "Shop", tableName: "typeorm_shop", columns: {
      id, name: { type: "varchar", length: 40, unique: true }, made: { type: "timestamptz", createDate: true },
      kind: { type: "smallint", default: 1 }, data: { type: "jsonb", nullable: true } },
    relations: { items: { type: "one-to-many", target: "Stock", inverseSide: "shop" } } }),
  new EntitySchema({ name: "Stock", tableName: "typeorm_stock", columns: {
      id: { type: "bigint", primary: true, generated: "identity" }, name: { type: "text", default: "tea" }, price: { type: "numeric", precision: 8, scale: 2, nullable: true },
      tags: { type: "text", array: true, default: [] } },
    indices: [{ name: "typeorm_stock_by_name", columns: ["name", "price"] }],
    checks: [{ name: "typeorm_stock_price", expression: "\"price\" > 0" }],
    uniques: [{ name: "typeorm_stock_once", columns: ["name", "shop"] }],
    relations: { shop: { type: "many-to-one", target: "Shop", inverseSide: "items", nullable: false, onDelete: "RESTRICT" } } }),
];
const connect = (entities) => new DataSource({ type: "postgres", host, port: Number(port), username, database, entities, installExtensions: false }).initialize();
const pending = async (source) => (await source.driver.createSchemaBuilder().log()).upQueries.map((query) => query.query);

let source = await connect(before);
await source.query("DROP TABLE IF EXISTS typeorm_stock");
await source.query("DROP TABLE IF EXISTS typeorm_shop");
await source.synchronize();
assert.deepEqual(await pending(source), []);
const shop = await source.getRepository("Shop").save({ name: "Anna" });
await source.getRepository("Stock").save([{ name: "tea", price: 2, shop }, { name: "jam", price: 3, shop }]);
await source.destroy();

source = await connect(after);
await source.synchronize();
assert.deepEqual(await pending(source), []);
const [found] = await source.getRepository("Shop").find({ relations: { items: true }, order: { items: { id: "ASC" } } });
assert.equal(found.name, "Anna");
assert.equal(found.kind, 1);
assert.deepEqual(found.items.map(({ name, tags }) => [name, tags]), [["tea", []], ["jam", []]]);
await source.destroy();
console.log("TypeORM: entities change their tables");
