// Tables that TypeORM makes and changes while rows are there: node typeorm_schema.mjs HOST PORT USER DATABASE
import assert from "node:assert";
import "reflect-metadata";
import { DataSource, EntitySchema } from "typeorm";

const [host, port, username, database] = process.argv.slice(2);

const author = (more) =>
  new EntitySchema({
    name: "author",
    tableName: "typeorm_author",
    columns: {
      id: { type: Number, primary: true, generated: true },
      name: { type: "varchar", length: 40, unique: true },
      born: { type: "date", nullable: true },
      kind: { type: "int", default: 3 },
      met: { type: "timestamp", default: () => "now()" },
      document: { type: "jsonb", nullable: true },
      ...more,
    },
    relations: { books: { type: "one-to-many", target: "book", inverseSide: "author" } },
    indices: [{ columns: ["born"] }],
    checks: [{ expression: '"kind" > 0' }],
  });
const book = (title, more) =>
  new EntitySchema({
    name: "book",
    tableName: "typeorm_book",
    columns: {
      id: { type: "bigint", primary: true, generated: "increment" },
      title,
      made: { type: "timestamptz", createDate: true },
      ...more,
    },
    relations: {
      author: { type: "many-to-one", target: "author", joinColumn: true, onDelete: "CASCADE", nullable: false },
      readers: { type: "many-to-many", target: "author", joinTable: { name: "typeorm_reader" } },
    },
  });

/** A source whose tables are as its entities say, and `work` with it. */
async function synchronized(entities, work) {
  const source = new DataSource({ type: "postgres", host, port: Number(port), username, database, entities, installExtensions: false });
  await source.initialize();
  try {
    await source.synchronize();
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    assert.deepEqual(upQueries.map(({ query }) => query), []);
    return await work(source);
  } finally {
    await source.destroy();
  }
}

const first = [author({}), book({ type: "varchar", length: 20 }, {})];
await synchronized(first, async (source) => {
  const anna = await source.getRepository("author").save({ name: "Anna", born: "1970-01-02", document: { a: 1 } });
  await source.getRepository("book").save({ title: "Tea", author: anna, readers: [anna] });
});
const second = [
  author({ mail: { type: "text", nullable: true }, rank: { type: "smallint", default: 1 } }),
  book({ type: "varchar", length: 20, default: "none", comment: "its title" }, { pages: { type: "int", nullable: true, unique: true } }),
];
await synchronized(second, async (source) => {
  const books = source.getRepository("book");
  const [tea] = await books.find({ relations: { author: true, readers: true } });
  assert.deepEqual([tea.id, tea.title, tea.author.name, tea.author.document, tea.author.rank], ["1", "Tea", "Anna", { a: 1 }, 1]);
  assert.equal(tea.readers.length, 1);
  const added = await books.save({ author: tea.author, pages: 3 });
  assert.deepEqual([added.id, added.title], ["2", "none"]);
  await assert.rejects(books.save({ author: tea.author, pages: 3 }), { code: "23505" });
  await assert.rejects(source.getRepository("author").save({ name: "Otto", kind: 0 }), { code: "23514" });
  for (const table of ["typeorm_reader", "typeorm_book", "typeorm_author"]) await source.query(`DROP TABLE ${table}`);
});
console.log("TypeORM: synchronize changes tables with rows, and finds no difference after it");
