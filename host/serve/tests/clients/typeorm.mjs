// An entity of TypeORM: node typeorm.mjs HOST PORT
import assert from "node:assert";
import "reflect-metadata";
import { DataSource, EntitySchema } from "typeorm";

const [host, port] = process.argv.slice(2);
const Item = new EntitySchema({
  name: "Item",
  tableName: "typeorm_items",
  columns: {
    id: { type: "int", primary: true, generated: true },
    name: { type: "varchar", length: 40 },
    price: { type: "double precision", nullable: true },
  },
});
const source = new DataSource({
  type: "postgres", host, port: Number(port), username: "local", database: "shop", entities: [Item],
  installExtensions: false,
});
await source.initialize();
await source.query("DROP TABLE IF EXISTS typeorm_items");
await source.query("CREATE TABLE typeorm_items(id serial PRIMARY KEY, name varchar(40) NOT NULL, price double precision)");
const items = source.getRepository(Item);
const tea = await items.save({ name: "tea", price: 3.5 });
assert.equal(tea.id, 1);
await items.save({ name: "jam", price: 4 });
await items.save({ ...tea, price: 5 });
assert.deepEqual((await items.find({ order: { id: "ASC" } })).map((item) => [item.name, item.price]), [["tea", 5], ["jam", 4]]);
await source.transaction(async (manager) => {
  await manager.delete(Item, { name: "jam" });
  assert.equal(await manager.count(Item), 1);
});
assert.equal(await items.countBy({ name: "tea" }), 1);
await source.destroy();
console.log("TypeORM: an entity reads and writes");
