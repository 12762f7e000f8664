// Models of Sequelize that change: node sequelize_schema.mjs HOST PORT USER DATABASE
import assert from "node:assert";
import { DataTypes, ForeignKeyConstraintError, Op, Sequelize, UniqueConstraintError } from "sequelize";

const [host, port, user, database] = process.argv.slice(2);
const connect = () => new Sequelize(database, user, "", { host, port, dialect: "postgres", logging: false });
const migrate = async (options, define) => {
  const sequelize = connect();
  const models = define(sequelize);
  await sequelize.sync(options);
  return { sequelize, ...models };
};
const first = (sequelize) => {
  const Owner = sequelize.define("owner", { name: { type: DataTypes.STRING(40), allowNull: false } }, { tableName: "sequelize_owner" });
  const Pet = sequelize.define("pet", { name: DataTypes.TEXT, weight: DataTypes.INTEGER }, { tableName: "sequelize_pet" });
  Owner.hasMany(Pet, { onDelete: "CASCADE" });
  Pet.belongsTo(Owner);
  return { Owner, Pet };
};
const second = (sequelize) => {
  const Owner = sequelize.define("owner", {
    name: { type: DataTypes.STRING(80), allowNull: false, unique: true },
    age: { type: DataTypes.INTEGER, defaultValue: 18 },
    data: { type: DataTypes.JSONB, comment: "anything" },
  }, { tableName: "sequelize_owner", paranoid: true });
  const Pet = sequelize.define("pet", {
    name: { type: DataTypes.TEXT, allowNull: false, defaultValue: "none" },
    weight: DataTypes.DECIMAL(8, 2), code: DataTypes.UUID, tags: DataTypes.ARRAY(DataTypes.TEXT),
  }, { tableName: "sequelize_pet", indexes: [{ name: "sequelize_pet_by", fields: ["ownerId", { name: "weight", order: "DESC" }] }] });
  Owner.hasMany(Pet, { onDelete: "CASCADE" });
  Pet.belongsTo(Owner);
  return { Owner, Pet };
};

const before = await migrate({ force: true }, first);
await before.Owner.bulkCreate([{ name: "Ann" }, { name: "Bob" }]);
await before.Pet.bulkCreate([{ name: "Rex", weight: 10, ownerId: 1 }, { name: "Tom", weight: 4, ownerId: 1 }, { name: "Kit", ownerId: 2 }]);
await before.sequelize.close();

for (let time = 0; time < 2; time++) await (await migrate({ alter: true }, second)).sequelize.close();
const { sequelize, Owner, Pet } = await migrate({ alter: { drop: false } }, second);
const [ann] = await Owner.findAll({ include: Pet, order: ["id", [Pet, "id", "ASC"]] });
assert.deepEqual([ann.name, ann.pets.map((pet) => [pet.name, pet.weight])], ["Ann", [["Rex", "10.00"], ["Tom", "4.00"]]]);
await Pet.create({ ownerId: 2, tags: ["a", "b"], code: "12345678-1234-1234-1234-123456789abc" });
await assert.rejects(Owner.create({ name: "Ann" }), UniqueConstraintError);
await assert.rejects(Pet.create({ ownerId: 9 }), ForeignKeyConstraintError);
const described = await sequelize.getQueryInterface().describeTable("sequelize_owner");
const shown = ({ type, allowNull, defaultValue, comment, primaryKey }) => [type, allowNull, defaultValue, comment, primaryKey];
assert.deepEqual(shown(described.name), ["CHARACTER VARYING(80)", false, null, null, false]);
assert.deepEqual(shown(described.age), ["INTEGER", true, 18, null, false]);
assert.deepEqual(shown(described.data), ["JSONB", true, null, "anything", false]);
assert.ok(described.id.autoIncrement === undefined || described.id.primaryKey);
assert.match(described.id.defaultValue, /^nextval\(sequelize_owner_id_seq/);
await Owner.destroy({ where: { name: "Bob" } });
assert.equal(await Owner.count({ paranoid: false }), 2);
const changes = sequelize.getQueryInterface();
await changes.renameColumn("sequelize_pet", "weight", "mass");
await changes.removeColumn("sequelize_pet", "code");
await changes.addConstraint("sequelize_pet", { type: "check", fields: ["mass"], name: "sequelize_heavy", where: { mass: { [Op.gt]: 0 } } });
await assert.rejects(sequelize.query("INSERT INTO sequelize_pet(mass, \"createdAt\", \"updatedAt\") VALUES (0, now(), now())"), { name: "SequelizeDatabaseError" });
await changes.removeConstraint("sequelize_pet", "sequelize_heavy");
const indexes = await changes.showIndex("sequelize_pet");
assert.deepEqual(indexes.map(({ name, unique }) => [name, unique]).sort(), [["sequelize_pet_by", false], ["sequelize_pet_pkey", true]]);
const [key] = await changes.getForeignKeyReferencesForTable("sequelize_pet");
assert.deepEqual([key.columnName, key.referencedTableName, key.referencedColumnName], ["ownerId", "sequelize_owner", "id"]);
await sequelize.drop();
await sequelize.close();
console.log("Sequelize: models change their tables");
