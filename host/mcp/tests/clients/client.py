"""The SDK for Python against the server: `client.py RUNNER DATABASE`."""

import asyncio
import sys

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client


async def main(runner, database):
    arguments = ["mcp", database, "--hide", "users.password"]
    transport = stdio_client(StdioServerParameters(command=runner, args=arguments))
    async with Client(transport) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert tools == {"query", "schema", "explain", "sample", "search"}, tools
        found = await client.call_tool("query", {"sql": "SELECT name FROM users WHERE id = ?", "parameters": [1]})
        assert not found.is_error and found.structured_content["rows"] == [["Ada"]], found
        refused = await client.call_tool("query", {"sql": "SELECT * FROM users"})
        assert refused.is_error and refused.content[0].text == "not permitted: users.password", refused
        resources = (await client.list_resources()).resources
        schema = await client.read_resource(resources[0].uri)
        assert "password" not in schema.contents[0].text and "users" in schema.contents[0].text, schema
    print("client.py: the Python SDK lists, calls and reads")


asyncio.run(main(*sys.argv[1:]))
