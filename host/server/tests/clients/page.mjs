// The page at `/` in headless Chromium: node page.mjs URL DIRECTORY (for a screenshot)
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import WebSocket from "ws";

const [url, directory] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), "page-"));
// Root has no sandbox in Chromium; the page is ours.
const browser = spawn(process.env.CHROMIUM ?? "chromium", ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
  "--remote-debugging-port=0", `--user-data-dir=${profile}`, "--window-size=1100,700", "about:blank"],
  { stdio: ["ignore", "ignore", "pipe"] });
const patience = setTimeout(() => { browser.kill(); throw new Error("the browser takes too long"); }, 120_000);
try {
  await tried(await connected());
  console.log("the page passes in Chromium");
} finally {
  clearTimeout(patience);
  // Its other processes still write there; the last one closes the pipe.
  const ended = new Promise((done) => browser.on("close", done));
  browser.kill();
  await ended;
  rmSync(profile, { recursive: true, force: true, maxRetries: 20 });
}

// Chromium's protocol: a request for each message.
async function connected() {
  const address = await new Promise((found) => {
    let said = "";
    browser.stderr.on("data", (data) => {
      said += data;
      const line = said.match(/DevTools listening on (ws:\S+)/);
      if (line) found(line[1]);
    });
  });
  const socket = new WebSocket(address);
  await new Promise((open) => socket.on("open", open));
  const waiting = new Map(), events = [];
  let last = 0, session;
  socket.on("message", (text) => {
    const message = JSON.parse(text);
    if (!message.id) return events.push(message);
    const { resolve, reject } = waiting.get(message.id);
    if (message.error) reject(new Error(message.error.message)); else resolve(message.result);
  });
  const send = (method, params = {}) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    socket.send(JSON.stringify({ id: last, method, params, sessionId: session }));
  });
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  ({ sessionId: session } = await send("Target.attachToTarget", { targetId, flatten: true }));
  for (const domain of ["Page", "Runtime", "Network", "Log"]) await send(`${domain}.enable`);
  return { send, events };
}

async function tried({ send, events }) {
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    assert(!exceptionDetails, exceptionDetails?.exception?.description);
    return result.value;
  };
  const until = async (expression) => {
    for (let tries = 0; tries < 200; tries++) {
      if (await evaluate(expression)) return;
      await new Promise((done) => setTimeout(done, 50));
    }
    assert.fail(`never: ${expression}`);
  };
  const text = (id) => evaluate(`document.getElementById(${JSON.stringify(id)}).innerText`);
  const press = async (button, sql) => {
    if (sql !== undefined) await evaluate(`document.getElementById("sql").value = ${JSON.stringify(sql)}`);
    await evaluate(`document.getElementById("status").textContent = "…"; ${button}.click()`);
    await until(`document.getElementById("status").textContent !== "…"`);
    return text("rows");
  };
  const run = (sql) => press(`document.querySelector("#query button[type=submit]")`, sql);
  const plan = (sql) => press(`document.getElementById("plan")`, sql);

  await send("Page.navigate", { url });
  await until(`document.readyState === "complete" && !!document.getElementById("rows")`);
  assert(!(await evaluate("location.href")).includes("token"), "the token stays in the address");

  // A stranger's HTML in names and values is text.
  const html = `<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>`;
  const name = `page "${html}`, quoted = `"${name.replaceAll('"', '""')}"`;
  await run(`DROP TABLE IF EXISTS ${quoted}`);
  await run(`CREATE TABLE ${quoted}(id INTEGER PRIMARY KEY, "${html.replaceAll('"', '""')}", b)`);
  assert.match(await text("status"), /rows changed/);
  await run(`INSERT INTO ${quoted} VALUES (9007199254740993, '${html}', x'00ff00'), (2, NULL, 1.5)`);
  assert.match(await text("status"), /^2 rows changed/);
  await until(`[...document.querySelectorAll("#tables button")].some((one) => one.textContent === ${JSON.stringify(name)})`);
  const shown = await press(`[...document.querySelectorAll("#tables button")].find((one) => one.textContent === ${JSON.stringify(name)})`);
  for (const part of [html, "9007199254740993", "NULL", "1.5", "blob, 3 bytes"]) assert(shown.includes(part), `${part} is not in ${shown}`);
  assert.equal(await evaluate(`document.querySelectorAll("img, td script, th script, nav script").length`), 0);
  assert.equal(await evaluate("window.attacked"), undefined);
  const { data } = await send("Page.captureScreenshot", { format: "png" });
  writeFileSync(join(directory, "page.png"), Buffer.from(data, "base64"));

  assert.match(await plan(`SELECT * FROM ${quoted} WHERE id = 1`), /SEARCH .* USING INTEGER PRIMARY KEY/);
  await run("SELECT nope");
  assert.match(await text("error"), /no such column: nope/);
  await run(`SELECT '${html}' FROM nope`);
  assert.equal(await evaluate("window.attacked"), undefined);
  assert.equal((await run("SELECT 7 AS seven")).trim().split(/\s+/).join(), "seven,7");
  assert.equal(await text("error"), "");

  // A long result: the page shows its beginning, and says so.
  await run("WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c LIMIT 20000) SELECT i, 'row ' || i FROM c");
  assert.match(await text("status"), /^20000 rows, of which 1000 are shown/);
  assert.equal(await evaluate(`document.querySelectorAll("#rows tr").length`), 1001);
  await run(`DROP TABLE ${quoted}`);
  await until(`document.querySelectorAll("#tables button").length === 0 || ![...document.querySelectorAll("#tables button")].some((one) => one.textContent === ${JSON.stringify(name)})`);

  // Nothing came from elsewhere, and no rule of the page's policy was broken.
  const asked = events.filter((event) => event.method === "Network.requestWillBeSent").map((event) => event.params.request.url);
  assert(asked.every((one) => one.startsWith(new URL(url).origin) || one === "about:blank"), asked.join("\n"));
  const wrong = events.filter((event) => event.method === "Runtime.exceptionThrown"
    || (event.method === "Log.entryAdded" && event.params.entry.level === "error" && !/favicon/.test(event.params.entry.url ?? "")));
  assert.deepEqual(wrong, []);

  // Without the token the page prompts for it.
  await evaluate("sessionStorage.clear()");
  await send("Page.reload");
  await until(`document.getElementById("login")?.hidden === false`);
  await evaluate(`document.getElementById("token").value = ${JSON.stringify(url.split("#token=")[1])}`);
  await evaluate(`document.querySelector("#login button").click()`);
  await until(`document.getElementById("login").hidden`);
}
