// A model of Sequelize: node sequelize.mjs HOST PORT
import assert from "node:assert";
import { DataTypes, Sequelize, UniqueConstraintError } from "sequelize";

const [host, port] = process.argv.slice(2);
const sequelize = new Sequelize("shop", "local", "", { host, port, dialect: "postgres", logging: false });
await sequelize.query("DROP TABLE IF EXISTS sequelize_users");
await sequelize.query(`CREATE TABLE sequelize_users(id serial PRIMARY KEY, name varchar(255) UNIQUE, age int,
  "createdAt" timestamptz NOT NULL, "updatedAt" timestamptz NOT NULL)`);
const User = sequelize.define(
  "User",
  { name: { type: DataTypes.STRING, unique: true }, age: DataTypes.INTEGER },
  { tableName: "sequelize_users" },
);
const ann = await User.create({ name: "Ann", age: 30 });
assert.equal(ann.id, 1);
await User.create({ name: "Bob", age: 20 });
await ann.update({ age: 31 });
assert.deepEqual((await User.findAll({ where: { age: [20, 31] }, order: ["id"] })).map((user) => user.name), ["Ann", "Bob"]);
await assert.rejects(User.create({ name: "Ann" }), UniqueConstraintError);
await sequelize.transaction(async (transaction) => {
  await User.destroy({ where: { name: "Bob" }, transaction });
  assert.equal(await User.count({ transaction }), 1);
});
await sequelize.close();
console.log("Sequelize: a model reads and writes");
