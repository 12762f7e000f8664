// A proxy that adds the token, which the conformance tests cannot: `with-token.mjs URL TOKEN`, and prints its own URL.
import http from "node:http";

const [url, token] = process.argv.slice(2);
const server = http.createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    const passed = http.request(url, { method: request.method, headers }, (reply) => {
        response.writeHead(reply.statusCode, reply.headers);
        reply.pipe(response);
    });
    request.pipe(passed);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
