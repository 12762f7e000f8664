// Plays a tape on a SQLite for Node, as components/sqlite/bench-loop does:
//   player.mjs node-sqlite3-wasm|sql.js setup|check|time DATABASE < TAPE
// The answer is a line of JSON.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const [name, mode, path] = process.argv.slice(2);
const peers = new URL("../../../target/bench-peers/", import.meta.url), require = createRequire(new URL("package.json", peers));

class Tape {
  constructor(data) {
    const end = data.indexOf(10);
    this.header = JSON.parse(data.subarray(0, end).toString());
    [this.data, this.at] = [data, end + 1];
  }
  sized() {
    const size = this.data.readUInt32LE(this.at);
    this.at += 4 + size;
    return this.data.subarray(this.at - size, this.at);
  }
  value() {
    const kind = this.data[this.at++];
    if (kind === 0) return null;
    if (kind === 3) return this.sized().toString();
    if (kind === 4) return new Uint8Array(this.sized());
    this.at += 8;
    return kind === 1 ? Number(this.data.readBigInt64LE(this.at - 8)) : this.data.readDoubleLE(this.at - 8);
  }
  *steps() {
    while (this.at < this.data.length) {
      const kind = this.data[this.at++];
      let call;
      if (kind & 0x7f) call = this.sized().toString();
      else [call, this.at] = [this.data.readUInt16LE(this.at), this.at + 2];
      const count = this.data[this.at++], values = [];
      for (let place = 0; place < count; place++) values.push(this.value());
      yield { call, values, ends: (kind & 0x80) !== 0 };
    }
  }
}

// A column that is declared REAL has reals only, but JavaScript does not tell 2.0 from 2.
const written = (value) => {
  if (value === null) return "n";
  if (typeof value === "bigint") return `i${value}`;
  if (typeof value === "number") {
    if (Number.isInteger(value)) return `i${value}`;
    const bits = Buffer.alloc(8);
    bits.writeDoubleBE(value + 0);
    return `r${bits.toString("hex")}`;
  }
  if (typeof value === "string") return `t${value}`;
  return `b${createHash("sha256").update(value).digest("hex")}`;
};

async function opened(path) {
  if (name === "node-sqlite3-wasm") {
    const { Database } = require("node-sqlite3-wasm");
    const db = new Database(path);
    return {
      prepare: (sql) => db.prepare(sql),
      run: (statement, values) => statement.all(values).map((row) => Object.values(row)),
      free: (statement) => statement.finalize(),
      close: () => db.close(),
    };
  }
  // Its files live in memory: read before anything is timed, written after a set-up.
  const { Database } = await require("sql.js")();
  const db = new Database(existsSync(path) ? readFileSync(path) : undefined);
  return {
    prepare: (sql) => db.prepare(sql),
    run: (statement, values) => {
      const rows = [];
      statement.bind(values);
      while (statement.step()) rows.push(statement.get());
      statement.reset();
      return rows;
    },
    free: (statement) => statement.free(),
    close: () => { if (mode === "setup" || mode === "shell") writeFileSync(path, db.export()); db.close(); },
  };
}

if (mode === "version") {
  const found = JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, peers)));
  const db = await opened(":memory:"), statement = db.prepare("SELECT sqlite_version()");
  console.log(found.version, db.run(statement, [])[0][0]);
  process.exit(0);
}

if (mode === "shell") {
  // Statements, one a line; rows are printed as SQLite's shell does.
  const db = await opened(path), lines = readFileSync(0).toString().split("\n"), out = [];
  for (const line of lines.filter((line) => line.trim())) {
    const statement = db.prepare(line);
    for (const row of db.run(statement, [])) out.push(row.map((value) => value ?? "").join("|") + "\n");
    db.free(statement);
  }
  process.stdout.write(out.join(""));
  db.close();
  process.exit(0);
}

const tape = new Tape(readFileSync(0)), header = tape.header, db = await opened(path);
const once = (sql, values) => {
  const statement = db.prepare(sql);
  try { return db.run(statement, values); } finally { db.free(statement); }
};
for (const sql of [...header.settings, ...(header.schema ?? [])]) once(sql, []);
const statements = header.statements.map(({ sql }) => db.prepare(sql));
const run = ({ call, values }) => typeof call === "string" ? once(call, values) : db.run(statements[call], values);

const SHOWN = 5;

function check() {
  const digest = createHash("sha256"), shown = [], ids = [], gate = [];
  let rows = 0;
  for (const step of tape.steps()) {
    const found = run(step).map((row) => row.map(written).join("|"));
    const about = typeof step.call === "number" ? header.statements[step.call] : {};
    rows += found.length;
    if (about.ids) ids.push(found.map((row) => Number(row.split("|")[0].slice(1))));
    if (about.approximate) continue;
    if (about.unordered) found.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    shown.push(...found.slice(0, SHOWN - shown.length));
    for (const row of found) digest.update(row + "\n");
    digest.update(";\n");
  }
  for (const sql of header.gate ?? []) gate.push(...once(sql, []).map((row) => row.map(written).join("|")));
  digest.update(gate.join("\n"));
  return { digest: digest.digest("hex"), rows, shown, ids, gate: gate.slice(0, SHOWN) };
}

function time() {
  const operations = [];
  let part = [];
  for (const step of tape.steps()) {
    part.push(step);
    if (step.ends) { operations.push(part); part = []; }
  }
  for (const operation of operations.slice(0, header.warmup ?? 0)) for (const step of operation) run(step);
  const times = [];
  let [total, rows] = [0, 0];
  for (let at = 0; at < operations.length; at += header.block) {
    const block = operations.slice(at, at + header.block), start = process.hrtime.bigint();
    for (const operation of block) for (const step of operation) rows += run(step).length;
    const took = Number(process.hrtime.bigint() - start);
    total += took;
    for (const _ of block) times.push(took / block.length);
  }
  const start = process.hrtime.bigint();
  for (const statement of statements) db.free(statement);
  db.close();
  if (header.close) total += Number(process.hrtime.bigint() - start);
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.min(Math.floor(part * times.length), times.length - 1)];
  return { total_ns: total, operations: operations.length, rows, p50_ns: at(0.5), p95_ns: at(0.95), p99_ns: at(0.99), p999_ns: at(0.999), max_ns: at(1) };
}

function setup() {
  const start = process.hrtime.bigint();
  for (const step of tape.steps()) run(step);
  return { setup_ns: Number(process.hrtime.bigint() - start) };
}

let answer;
if (mode === "time") answer = time();
else {
  answer = mode === "check" ? check() : setup();
  for (const statement of statements) db.free(statement);
  db.close();
}
console.log(JSON.stringify(answer));
