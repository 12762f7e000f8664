// The SDK for TypeScript against the server: `client.mjs RUNNER DATABASE`, at streams, and `client.mjs URL TOKEN`.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [first, second] = process.argv.slice(2);
const isHttp = first.startsWith("http:");
const headers = { Authorization: `Bearer ${second}` };
const transport = isHttp
    ? new StreamableHTTPClientTransport(new URL(first), { requestInit: { headers } })
    : new StdioClientTransport({ command: first, args: ["mcp", second, "--hide", "users.password"] });
const client = new Client({ name: "tests", version: "1" });
await client.connect(transport);
const { tools } = await client.listTools();
assert.deepEqual(tools.map((tool) => tool.name), ["query", "schema", "explain", "sample", "search"]);
const found = await client.callTool({ name: "query", arguments: { sql: "SELECT name FROM users WHERE id = ?", parameters: [1] } });
assert.deepEqual(found.structuredContent.rows, [["Ada"]]);
const refused = await client.callTool({ name: "query", arguments: { sql: "SELECT * FROM users" } });
assert.ok(refused.isError);
assert.equal(refused.content[0].text, "not permitted: users.password");
const { resources } = await client.listResources();
const { contents } = await client.readResource({ uri: resources[0].uri });
assert.ok(!contents[0].text.includes("password"));
await client.close();
console.log(`client.mjs: the TypeScript SDK lists, calls and reads ${isHttp ? "by HTTP" : "at streams"}`);
